import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reasonToDistrust } from './state-directory.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-state-'));
});
afterEach(() => rm(directory, { recursive: true }));

it('is trusted if only this user can write to it, or if it does not exist', async () => {
  expect(await reasonToDistrust(directory)).toBeUndefined();
  expect(await reasonToDistrust(join(directory, 'later'))).toBeUndefined();
});

it.each([0o777, 0o770, 0o702])('is not trusted with mode %o', async (mode) => {
  await chmod(directory, mode);
  expect(await reasonToDistrust(directory)).toBe(`others can write to ${directory}`);
});

it.runIf(process.getuid?.() === 0)('is not trusted if it belongs to another user (needs root)', async () => {
  await chown(directory, 12345, 12345);
  expect(await reasonToDistrust(directory)).toBe(`${directory} belongs to another user`);
});
