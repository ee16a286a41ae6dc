import { RelayError } from '@agent-relay/protocol';

const REASONS: Record<string, string> = {
  EACCES: 'you may not',
  EPERM: 'you may not',
  EROFS: 'nothing can be written there',
  EEXIST: 'it exists already, and is left alone',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  ENOSPC: 'the disk is full',
};

export const cannotRead = (path: string, cause: unknown): RelayError =>
  new RelayError('InvalidRequest', `${path} cannot be read: ${reasonOf(cause, 'there is no such file')}.`, {
    next: 'Check the path of the file.',
    cause,
  });

export const cannotWrite = (path: string, cause: unknown, next: string): RelayError =>
  new RelayError(
    'InvalidRequest',
    `${path} cannot be written: ${reasonOf(cause, 'there is no such directory')}.`,
    { next, cause },
  );

/** What the system says, in plain words where they are known; `missing` is what it means that something is not there. */
function reasonOf(cause: unknown, missing: string): string {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return code === 'ENOENT' ? missing : (REASONS[code] ?? message);
}
