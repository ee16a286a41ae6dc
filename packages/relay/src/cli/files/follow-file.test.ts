import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followLines, lastLines } from './follow-file.ts';

let file: string;
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'relay-follow-')), 'daemon.log');
});
afterEach(() => rm(join(file, '..'), { recursive: true }));

it('the last lines of a file', async () => {
  expect(await lastLines(file, 3)).toEqual([]);
  await writeFile(file, 'one\ntwo\nthree\nfour\n');
  expect(await lastLines(file, 3)).toEqual(['two', 'three', 'four']);
  expect(await lastLines(file, 0)).toEqual([]);
  // Only a line feed ends a line of the log: its JSON may hold the other separators.
  await writeFile(file, '"one\u2028still one"\ntwo\n');
  expect(await lastLines(file, 3)).toEqual(['"one\u2028still one"', 'two']);
});

it('shows a line that is being written at the start once, when it is complete', async () => {
  const lines: string[] = [];
  const stop = new AbortController();
  const long = 'x'.repeat(100_000);
  await writeFile(file, `old\n${long}`);
  const following = followLines(file, 5, (line) => lines.push(line), stop.signal);
  await vi.waitFor(() => expect(lines).toEqual(['old']));
  await appendFile(file, ' y\n');
  await vi.waitFor(() => expect(lines).toEqual(['old', `${long} y`]));
  stop.abort();
  await following;
});

it('follows appended lines, across a rotation, until it is stopped', async () => {
  const lines: string[] = [];
  const stop = new AbortController();
  await writeFile(file, 'older\nold\n');
  const following = followLines(file, 1, (line) => lines.push(line), stop.signal);
  // Written while the last lines are being read: neither left out nor shown twice.
  await appendFile(file, 'appended\nhal');
  await appendFile(file, 'f é\n');
  await vi.waitFor(() => expect(lines.at(-1)).toBe('half é'));
  await rename(file, `${file}.1`);
  await writeFile(file, 'new file\n');
  await vi.waitFor(() => expect(lines.at(-1)).toBe('new file'));
  stop.abort();
  await following;
  const whole = ['old', 'appended', 'half é', 'new file'];
  // Of what was there at the start, only the last line is shown.
  expect(whole.slice(-lines.length)).toEqual(lines);
  expect(lines.length).toBeGreaterThanOrEqual(3);
});
