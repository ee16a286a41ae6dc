import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { RecordedOutput } from './terminal.ts';

/** Output that came so close together is one. */
const TOGETHER_MS = 8;

/** What a program wrote, when, and at which size, as lines of JSON. */
export function sessionFile(recording: readonly RecordedOutput[]): string {
  const joined: RecordedOutput[] = [];
  for (const { at, event } of recording) {
    const last = joined.at(-1);
    if (last && Buffer.isBuffer(event) && Buffer.isBuffer(last.event) && at - last.at < TOGETHER_MS)
      joined[joined.length - 1] = { at: last.at, event: Buffer.concat([last.event, event]) };
    else joined.push({ at, event });
  }
  // One byte is one character: a chunk may end within a character.
  return joined
    .map(
      ({ at, event }) =>
        `${JSON.stringify([at, Buffer.isBuffer(event) ? event.toString('latin1') : event])}\n`,
    )
    .join('');
}

export const readSessionFile = (file: string | URL): RecordedOutput[] =>
  gunzipSync(readFileSync(file))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [at, event] = JSON.parse(line) as [number, string | { columns: number; rows: number }];
      return { at, event: typeof event === 'string' ? Buffer.from(event, 'latin1') : event };
    });
