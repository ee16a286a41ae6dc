import { createReadStream } from 'node:fs';
import { LineReader } from './line-reader.ts';

/** A line of a text file; only the number if it is longer than allowed. */
export interface FileLine {
  number: number;
  text: string | undefined;
}

/**
 * Reads a file line by line, and never more of it into memory than `maxBytes` of a line and one chunk; of a file that
 * grows, only its first `size` bytes.
 */
export async function* fileLines(
  file: string,
  maxBytes: number,
  size = Number.POSITIVE_INFINITY,
): AsyncGenerator<FileLine> {
  if (size === 0) return;
  let number = 0;
  let found: FileLine[] = [];
  const add = (text: string | undefined) => void found.push({ number: ++number, text });
  const reader = new LineReader(maxBytes, {
    line: (bytes) => add(bytes.toString('utf8')),
    oversized: () => add(undefined),
    blank: () => add(''),
  });
  for await (const chunk of createReadStream(file, { end: size - 1 }) as AsyncIterable<Buffer>) {
    reader.push(chunk);
    yield* found;
    found = [];
  }
  reader.end();
  yield* found;
}
