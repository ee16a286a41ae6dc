import type { Era } from '../../backend/negotiate.ts';
import type { JsonMembers } from '../../json/raw-json.ts';
import type { CallTrace } from '../../log/call-log.ts';

/** Where messages to a client go. */
export interface Outlet {
  /** Something said before an answer or beside it. */
  send(message: Buffer): void;
  /** The answer to a request; where each request has its own way back, that ends here. */
  answer(message: Buffer): void;
}

/** One request of a client while it is being served. */
export interface Call {
  /** The id as the client wrote it. */
  readonly id: Buffer;
  readonly method: string;
  readonly params: JsonMembers;
  readonly meta: Record<string, unknown>;
  readonly era: Era;
  readonly clientCapabilities: Record<string, unknown>;
  readonly signal: AbortSignal;
  /** Where the answer, and what belongs to this request before it, is sent. */
  readonly reply: Outlet;
  /** Its lines in the log, at level debug. */
  readonly trace: CallTrace | undefined;
  /** The backend that works on it. */
  backend?: string;
  /** Puts a question of that backend to the client that made this call. */
  ask?: (method: string, params: Buffer | undefined, signal: AbortSignal) => Promise<Buffer>;
}
