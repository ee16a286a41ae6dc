const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EEXIST: 'it already exists',
  EISDIR: 'it is a directory',
  ENOTDIR: 'part of its path is not a directory',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EFBIG: 'the file is too large for this disk',
};

/** Why a file operation failed, in plain words if known; `missing` is the text for ENOENT. */
export function systemReason(cause: unknown, missing: string): string {
  const { code = '', message } = cause as Error & { code?: string };
  return code === 'ENOENT' ? missing : (REASONS[code] ?? message);
}
