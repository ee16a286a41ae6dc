const REASONS: Record<string, string> = {
  EACCES: 'you may not',
  EPERM: 'you may not',
  EROFS: 'nothing can be written there',
  EEXIST: 'it exists already, and is left alone',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is used up',
  EFBIG: 'a file may not grow so large there',
};

/** Why the system refused a file, in plain words where they are known; `missing` is what it means that one is not there. */
export function systemReason(cause: unknown, missing: string): string {
  const { code = '', message } = cause as Error & { code?: string };
  return code === 'ENOENT' ? missing : (REASONS[code] ?? message);
}
