import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerInTime } from './answer-in-time.ts';
import { KnownHang } from './known-hang.ts';

let directory: string;
let hang: KnownHang;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-hang-'));
  hang = new KnownHang(directory, {});
});
afterEach(() => rm(directory, { recursive: true }));

const never = () => new Promise<never>(() => undefined);
const noteOf = async () => (await readdir(directory))[0] ?? '';

it('remembers that there was no answer, until there is one', async () => {
  await expect(answerInTime(hang, never)).rejects.toMatchObject({ code: 'Timeout' });
  expect(await hang.isRecent()).toBe(true);
  expect(await answerInTime(hang, async () => 'hello')).toBe('hello');
  expect(await hang.isRecent()).toBe(false);
});

it('counts an error as an answer', async () => {
  await hang.note();
  await expect(answerInTime(hang, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(await hang.isRecent()).toBe(false);
});

it('does not extend the minute, however often it is tried', async () => {
  await hang.note();
  const noted = join(directory, await noteOf());
  const aMinuteAgo = String(Number(process.hrtime.bigint()) / 1e9 - 59.9);
  await writeFile(noted, aMinuteAgo);
  await expect(answerInTime(hang, never)).rejects.toMatchObject({ code: 'Timeout' });
  await expect.poll(() => hang.isRecent()).toBe(false);
});

it.each(['', 'x', '-1', '1e30'])('forgets a note that says %j', async (text) => {
  await hang.note();
  await writeFile(join(directory, await noteOf()), text);
  expect(await hang.isRecent()).toBe(false);
});

it('is about one daemon', async () => {
  await hang.note();
  expect(await new KnownHang(directory, { RELAY_URL: 'wss://other.example/ws' }).isRecent()).toBe(false);
});
