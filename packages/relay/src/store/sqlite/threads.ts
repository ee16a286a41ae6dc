import type { ErrorCode } from '@agent-relay/protocol';
import type { DraftValues } from '../append.ts';
import type { ScriptCall } from '../scripts/index.ts';

/** The messages between the store and its threads. */
export interface ThreadSettings {
  path: string;
  role: 'writer' | 'reader';
}

/** A message to append. Rare fields are omitted if absent: every field costs time to transfer. */
export interface AppendCall {
  values: DraftValues;
  recipients: number[] | 'members' | 'workspace';
  mentioned?: number[];
  attached?: string[];
}

export type Call = ScriptCall | AppendCall;

/** Calls are a batch: one transaction of the writer. */
export interface ThreadRequest {
  id: number;
  ask: 'open' | 'close' | Call[];
}

/** An error between threads; `fatal` means that it is unknown what is on disk. */
export interface Failure {
  code: ErrorCode;
  message: string;
  /** The next step, if it differs from the code's. */
  next?: string;
  fatal: boolean;
}

/** If the caller knows the recipients, the result of an append is only its sequence number. */
export interface BatchResult {
  values: unknown[];
  failures: Array<{ index: number; failure: Failure }>;
}

export type ThreadAnswer = { id: number } & (BatchResult | { failure: Failure });
