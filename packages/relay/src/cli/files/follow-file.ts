import { type FileHandle, open, stat, watch } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import { isMissing } from '@agent-relay/sdk/node';

/** The last `count` lines of a file; none if there is no such file. */
export async function lastLines(path: string, count: number): Promise<string[]> {
  const lines: string[] = [];
  const file = await openIfThere(path);
  if (file === undefined) return lines;
  for await (const line of createInterface({ input: file.createReadStream() })) {
    lines.push(line);
    if (lines.length > count) lines.shift();
  }
  return lines;
}

/** Hands over each line appended to a file from now on, also when rotation puts a new file in its place. */
export async function followLines(
  path: string,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let file = await openIfThere(path);
  let reading = file && appendedLines(file, (await file.stat()).size, onLine);
  try {
    // The directory is watched: the file itself may be renamed away.
    for await (const _change of watch(dirname(path), { signal })) {
      await reading?.();
      if (!(await isReplaced(path, file))) continue;
      await file?.close();
      file = await openIfThere(path);
      reading = file && appendedLines(file, 0, onLine);
      await reading?.();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await file?.close();
  }
}

/** A function that reads what was appended since its last call. */
function appendedLines(file: FileHandle, from: number, onLine: (line: string) => void): () => Promise<void> {
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(65_536);
  let offset = from;
  let unfinished = '';
  return async () => {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
      if (bytesRead === 0) return;
      offset += bytesRead;
      const lines = (unfinished + decoder.write(buffer.subarray(0, bytesRead))).split('\n');
      unfinished = lines.pop() ?? '';
      lines.forEach(onLine);
    }
  };
}

async function isReplaced(path: string, file: FileHandle | undefined): Promise<boolean> {
  try {
    return (await stat(path)).ino !== (await file?.stat())?.ino;
  } catch (error) {
    // Between the renaming and the new file there is none; the next change brings it.
    if (isMissing(error)) return false;
    throw error;
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
