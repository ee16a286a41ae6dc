import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { link, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing } from './missing.ts';

const ROOT_USER = 0;

export interface AtomicWrite {
  /** For the user's own files: keeps links, mode and owner. Otherwise the file is replaced by a private one. */
  keepAttributes?: boolean;
  /** Called right before the file is replaced; if it throws, the old content stays. */
  check?(): Promise<void>;
}

/**
 * Writes a file atomically: a reader, even after a crash, finds the old content or the new, never a part. A new file is
 * private to this user, whatever the umask.
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { keepAttributes = false, check }: AtomicWrite = {},
): Promise<void> {
  const target = keepAttributes ? await endOfLinks(path) : path;
  const draft = await writeDraft(target, content, keepAttributes ? await statIfThere(target) : undefined);
  try {
    await check?.();
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * Creates a private file unless it exists, and returns its content, trimmed. Of several processes at once, the
 * first writes and all get its content, which is on disk by then.
 */
export async function createOnce(path: string, content: string): Promise<string> {
  const draft = await writeDraft(path, content);
  try {
    // A link, unlike a rename, fails when the name is taken.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await syncDirectory(dirname(path));
    return (await readFile(path, 'utf8')).trim();
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes and syncs the content to a file next to it, with the mode and owner of `like`. */
async function writeDraft(path: string, content: string | Uint8Array, like?: Stats): Promise<string> {
  const draft = `${path}.${randomUUID()}.tmp`;
  await using handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    // Root may edit another user's file, which must keep its owner. Owner first: changing it clears mode bits.
    if (like && process.getuid?.() === ROOT_USER) await handle.chown(like.uid, like.gid);
    // Not at creation, where the umask would apply.
    await handle.chmod(like ? like.mode & 0o777 : 0o600);
    await handle.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return draft;
}

async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r');
  await handle.sync();
}

/** A broken link is replaced like a file. */
async function endOfLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw error;
  }
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
