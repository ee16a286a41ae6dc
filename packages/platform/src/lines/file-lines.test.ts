import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileLines } from './file-lines.ts';

let file: string;
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'relay-lines-')), 'file');
});
afterEach(() => rm(join(file, '..'), { recursive: true }));

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

it('numbers every line, blank and oversized ones too, and the last one without an end', async () => {
  await writeFile(file, `one\r\n\n${'x'.repeat(200_000)}\nfour é`);
  const lines = await all(fileLines(file, 100));
  expect(lines).toEqual([
    { number: 1, text: 'one' },
    { number: 2, text: '' },
    { number: 3, text: undefined },
    { number: 4, text: 'four é' },
  ]);
});

it('an empty file has no lines; a missing one fails', async () => {
  await writeFile(file, '');
  expect(await all(fileLines(file, 100))).toEqual([]);
  await expect(all(fileLines(`${file}.not`, 100))).rejects.toMatchObject({ code: 'ENOENT' });
});
