import type { Era } from '../../backend/rpc/negotiate.ts';
import type { JsonMembers } from '../../json/raw-json.ts';
import type { CallTrace } from '../../log/call-log.ts';

/** Where messages to a client go. */
export interface Outlet {
  /** A message other than the answer. */
  send(message: Buffer): void;
  /** The answer to a request. Ends the response if each request has its own. */
  answer(message: Buffer): void;
}

/** A client's request while it is served. */
export interface Call {
  /** The id as the client wrote it. */
  readonly id: Buffer;
  readonly method: string;
  readonly params: JsonMembers;
  readonly meta: Record<string, unknown>;
  readonly era: Era;
  readonly clientCapabilities: Record<string, unknown>;
  readonly signal: AbortSignal;
  /** Receives the answer, and messages of this request before it. */
  readonly reply: Outlet;
  /** Its debug log lines. */
  readonly trace: CallTrace | undefined;
  /** The backend that handles it. */
  backend?: string;
  /** Forwards a question of that backend to the client of this call. */
  ask?: (method: string, params: Buffer | undefined, signal: AbortSignal) => Promise<Buffer>;
}
