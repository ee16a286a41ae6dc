import { RelayError } from '@agent-relay/protocol';
import { MovedFile } from './files.ts';
import type { Failure } from './threads.ts';

/** Primary result codes of SQLite that blame the statement, not the database. */
const OWN_FAULT = new Set([
  1 /* ERROR */, 18 /* TOOBIG */, 19 /* CONSTRAINT */, 20 /* MISMATCH */, 25 /* RANGE */,
]);
const FULL = 13;
const DAMAGED = new Set([11 /* CORRUPT */, 26 /* NOTADB */]);
/** After these it is unknown what is on disk. */
const FAILED_SYNC = new Set([1034 /* IOERR_FSYNC */, 1290 /* IOERR_DIR_FSYNC */]);

const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined;

/** Whether the call itself was wrong: the other calls of its batch can still be stored. */
export function isOwnFault(error: unknown): boolean {
  const code = resultCode(error);
  if (code !== undefined) return OWN_FAULT.has(code & 0xff);
  const ofTheSystem = error instanceof Error && 'syscall' in error;
  return !ofTheSystem;
}

export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RelayError) return { code: error.code, message, next: error.next, fatal: false };
  if (error instanceof MovedFile) return { code: 'DatabaseUnusable', message, fatal: true };
  if (isOwnFault(error))
    return { code: 'Internal', message: `The database refused: ${message}`, fatal: false };
  const code = resultCode(error);
  if (code === undefined) return { code: 'StoreUnavailable', message, fatal: false };
  if (DAMAGED.has(code & 0xff)) {
    return {
      code: 'DatabaseUnusable',
      message: `The database is damaged (${code}): ${message}.`,
      fatal: true,
    };
  }
  if ((code & 0xff) === FULL) {
    return { code: 'DiskFull', message: 'The disk that holds the database is full.', fatal: false };
  }
  const fatal = FAILED_SYNC.has(code);
  return { code: 'StoreUnavailable', message: `The database failed (${code}): ${message}`, fatal };
}
