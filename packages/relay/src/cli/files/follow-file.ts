import { on } from 'node:events';
import { watch } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileLines, isMissing, LineReader } from '@agent-relay/platform';

/** Lines of our own logs may have any length. */
const ANY_LENGTH = Number.POSITIVE_INFINITY;
const CHUNK_BYTES = 65_536;

/** The last `count` lines of a file, or of its first `size` bytes; none if there is no such file. */
export async function lastLines(path: string, count: number, size?: number): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const { text = '' } of fileLines(path, ANY_LENGTH, size)) {
      lines.push(text);
      if (lines.length > count) lines.shift();
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return lines;
}

/** Reports the last `count` lines of a file and each appended one, also when rotation puts a new file in its place. */
export async function followLines(
  path: string,
  count: number,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  // First, so that no change is missed; the directory, because the file itself may be renamed away.
  const watcher = watch(dirname(path));
  let file: FileHandle | undefined;
  try {
    const changes = on(watcher, 'change', { signal });
    file = await openIfThere(path);
    // A line that is still being written follows when it is complete.
    const end = file ? await endOfLines(file) : 0;
    for (const line of await lastLines(path, count, end)) onLine(line);
    let reading = file && appendedLines(file, end, onLine);
    do {
      await reading?.();
      if (!(await isReplaced(path, file))) continue;
      await file?.close();
      file = await openIfThere(path);
      reading = file && appendedLines(file, 0, onLine);
      await reading?.();
    } while (!(await changes.next()).done);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    watcher.close();
    await file?.close();
  }
}

/** The position after the last line feed of a file. */
async function endOfLines(file: FileHandle): Promise<number> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let end = (await file.stat()).size; end > 0; end -= CHUNK_BYTES) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const { bytesRead } = await file.read(chunk, 0, end - start, start);
    const feed = chunk.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (feed !== -1) return start + feed + 1;
  }
  return 0;
}

/** A function that reads what was appended since the last call. */
function appendedLines(file: FileHandle, from: number, onLine: (line: string) => void): () => Promise<void> {
  const reader = new LineReader(ANY_LENGTH, {
    line: (bytes) => onLine(bytes.toString('utf8')),
    oversized: () => undefined,
    blank: () => onLine(''),
  });
  let offset = from;
  return async () => {
    for (;;) {
      // A new buffer each time: the reader keeps part of the last one until its line ends.
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, offset);
      if (bytesRead === 0) return;
      offset += bytesRead;
      reader.push(buffer.subarray(0, bytesRead));
    }
  };
}

async function isReplaced(path: string, file: FileHandle | undefined): Promise<boolean> {
  try {
    return (await stat(path)).ino !== (await file?.stat())?.ino;
  } catch (error) {
    // Between the rename and the new file there is none; the next change has it.
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
