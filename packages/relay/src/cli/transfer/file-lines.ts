import { createReadStream } from 'node:fs';

/** A line of a text file; of one that is longer than allowed, only its number. */
export interface FileLine {
  number: number;
  text: string | undefined;
}

/** Reads a file line by line, and never more of it into memory than `maxBytes` of a line. */
export async function* fileLines(file: string, maxBytes: number): AsyncGenerator<FileLine> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let number = 0;
  const keep = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxBytes) parts.push(part);
    else parts = [];
  };
  const line = (): FileLine => {
    const text = bytes <= maxBytes ? Buffer.concat(parts).toString('utf8').replace(/\r$/, '') : undefined;
    parts = [];
    bytes = 0;
    return { number: ++number, text };
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, end));
      yield line();
      from = end + 1;
    }
    keep(chunk.subarray(from));
  }
  if (bytes > 0) yield line();
}
