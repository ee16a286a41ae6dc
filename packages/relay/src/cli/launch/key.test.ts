import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Settings } from '../../daemon/settings/settings.ts';
import { launchKey } from './key.ts';

let dataDirectory: string;
beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'relay-launch-key-'));
});
afterEach(() => rm(dataDirectory, { recursive: true }));

const settings = (apiKey?: string) => ({ dataDirectory, mcp: { apiKey } }) as Settings;

it("is the user's own, or none if the system identifies the user", async () => {
  expect(await launchKey(settings('mine'), 'darwin')).toBe('mine');
  expect(await launchKey(settings(), 'linux')).toBeUndefined();
});

it('is otherwise created once, even by several processes at once', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => launchKey(settings(), 'darwin')));
  const kept = await readFile(join(dataDirectory, 'launch', 'key'), 'utf8');
  expect(kept).toMatch(/^[\w-]{32}$/);
  expect(keys).toEqual([kept, kept, kept, kept]);
});
