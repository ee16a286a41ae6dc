import type { ErrorCode } from '@agent-relay/protocol';
import type { DraftValues } from '../append.ts';
import type { ScriptCall } from '../scripts/index.ts';

/** The words between the store and its threads. */
export interface ThreadSettings {
  path: string;
  role: 'writer' | 'reader';
}

/** A message to append. What most messages do not have is left out: every field costs on the way. */
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

/** An error as it crosses threads; `fatal` means that nobody knows any more what is on the disk. */
export interface Failure {
  code: ErrorCode;
  message: string;
  /** What to do, if it is not what the code says. */
  next?: string;
  fatal: boolean;
}

/** The result of an append whose caller knows the recipients is its sequence number alone. */
export interface BatchResult {
  values: unknown[];
  failures: Array<{ index: number; failure: Failure }>;
}

export type ThreadAnswer = { id: number } & (BatchResult | { failure: Failure });
