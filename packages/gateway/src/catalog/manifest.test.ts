import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Remembered } from '../backend/backend.ts';
import { Manifest } from './manifest.ts';

const OFFERED: Remembered = {
  era: 'legacy',
  lists: { tools: [{ name: 'echo' }], prompts: [], resources: [], templates: [] },
};

let directory: string;
let warnings: string[];
const open = () => Manifest.open(directory, (line) => warnings.push(line));
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-manifest-'));
  warnings = [];
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('remembers the lists of a backend until its configuration changes', async () => {
  const manifest = await open();
  manifest.keep('files', 'npx server --token hunter2', OFFERED);
  await manifest.save();
  const again = await open();
  expect(again.recall('files', 'npx server --token hunter2')).toEqual(OFFERED);
  expect(again.recall('files', 'npx server --token other')).toBeUndefined();
  expect(again.recall('others', 'npx server --token hunter2')).toBeUndefined();
  expect(await readFile(join(directory, 'manifest.json'), 'utf8')).not.toContain('hunter2');
});

it.each(['not JSON', '[]', 'null'])('starts empty from a file that has %s', async (content) => {
  await writeFile(join(directory, 'manifest.json'), content);
  expect((await open()).recall('files', 'x')).toBeUndefined();
});

it('only warns if it cannot be written', async () => {
  await writeFile(join(directory, 'file'), '');
  const manifest = await Manifest.open(join(directory, 'file', 'below'), (line) => warnings.push(line));
  manifest.keep('files', 'x', OFFERED);
  await manifest.save();
  expect(warnings).toEqual([
    expect.stringMatching(/^Cannot save the lists of the servers: E\w+: .*, mkdir '/),
  ]);
});
