import { closeSync, fchmodSync, fstatSync, openSync, statSync } from 'node:fs';
import { isOwn, systemReason } from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';

const logOf = (path: string): string => `${path}-wal`;

/** A file of the open database was moved: writes would go to a file that nobody will find. */
export class MovedFile extends Error {}

/** Creates a private file, or makes an existing one private; refuses one of another user. */
export function ensurePrivate(path: string): void {
  const file = openFile(path);
  try {
    const found = fstatSync(file);
    if (!isOwn(found)) {
      throw new RelayError('NotAllowedToRunAs', `The database ${path} belongs to another user.`);
    }
    if ((found.mode & 0o077) !== 0) fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}

/** Refuses to create an empty database next to an orphaned log: SQLite would delete the log. */
export function refuseLostDatabase(path: string): void {
  if (sizeOf(path) > 0 || sizeOf(logOf(path)) === 0) return;
  throw new RelayError(
    'DatabaseUnusable',
    `The database ${path} is missing, but its log ${logOf(path)} exists.`,
    {
      next: 'Restore the database, or move the log away to start with an empty one.',
    },
  );
}

/** Remembers the files of an open database; the returned function throws `MovedFile` once they have changed. */
export function filesOf(path: string): () => void {
  const files = [path, logOf(path)].map((file) => ({ file, identity: identityOf(file) }));
  return () => {
    for (const { file, identity } of files) {
      if (identityOf(file) === identity) continue;
      throw new MovedFile(`The file ${file} was deleted or replaced while it was in use.`);
    }
  };
}

/** Two system calls of a few microseconds, cheap enough for every acknowledgement. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function openFile(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
}

export function cannotOpen(path: string, cause: unknown): RelayError {
  const reason = systemReason(cause, 'its directory does not exist');
  return new RelayError('StoreUnavailable', `The database ${path} cannot be opened: ${reason}.`, { cause });
}
