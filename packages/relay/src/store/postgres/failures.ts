import { RelayError } from '@agent-relay/protocol';
import pg from 'pg';

/** Classes of SQLSTATE that blame the statement: data, constraint, syntax, limit, raised by a trigger. */
const OWN_FAULT = new Set(['22', '23', '42', '54', 'P0']);
const DISK_FULL = '53100';

/** Whether the call itself was wrong: the other calls of its batch can still be stored. */
export const isOwnFault = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? OWN_FAULT.has(error.code?.slice(0, 2) ?? '')
    : error instanceof TypeError || error instanceof RelayError;

export function toRelayError(error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isOwnFault(error))
    return new RelayError('Internal', `The database refused: ${message}`, { cause: error });
  if (error instanceof pg.DatabaseError && error.code === DISK_FULL) {
    return new RelayError('DiskFull', 'The disk of the database server is full.', { cause: error });
  }
  return new RelayError('StoreUnavailable', `The database cannot be reached or failed: ${message}`, {
    cause: error,
  });
}
