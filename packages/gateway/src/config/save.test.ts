import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from './load.ts';
import { forgetBackend, saveBackend } from './save.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'config-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

test('keeps comments, order and permissions of a YAML file when adding and removing', async () => {
  const path = await file(
    'b.yaml',
    '# top\nbackends:\n  - name: a # first\n    url: ws://a\n  # about b\n  - name: b\n    url: ws://b\n',
  );
  const { mode } = await stat(path);
  await saveBackend(path, 'c', 'ws://c');
  expect(await readFile(path, 'utf8')).toBe(
    '# top\nbackends:\n  - name: a # first\n    url: ws://a\n  # about b\n  - name: b\n    url: ws://b\n  - name: c\n    url: ws://c\n',
  );
  await forgetBackend([path], 'a');
  expect(await readFile(path, 'utf8')).toMatch(/^# top\nbackends:\n {2}# about b\n {2}- name: b/);
  expect((await stat(path)).mode).toBe(mode);
});

test('does not wrap long lines', async () => {
  const words = 'word '.repeat(60).trim();
  const long = `  - name: a\n    command: a\n    args: [ "${words}", "${words}" ] # ${words}\n`;
  const path = await file('b.yaml', `backends:\n${long}`);
  await saveBackend(path, 'c', 'ws://c');
  expect(await readFile(path, 'utf8')).toBe(`backends:\n${long}  - name: c\n    url: ws://c\n`);
});

test('does not overwrite a disabled entry of the same name', async () => {
  const content = 'mcpServers:\n  a: # not now\n    command: a\n    disabled: true\n';
  const path = await file('map.yaml', content);
  await expect(saveBackend(path, 'a', 'ws://a')).rejects.toMatchObject({
    code: 'BackendExists',
    message: expect.stringContaining('map.yaml:3:5'),
  });
  expect(await readFile(path, 'utf8')).toBe(content);
});

test('adds to a JSON file in the form that the file uses', async () => {
  const list = await file('list.json', '{\n  // servers\n  "servers": []\n}\n');
  await saveBackend(list, 'c', 'ws://c');
  expect(await readFile(list, 'utf8')).toContain('// servers');
  expect((await loadConfig([list], {}))[0]?.config.name).toBe('c');

  const map = await file('map.json', '{ "mcpServers": { "a": { "command": "a" } }, "other": 1 }');
  await saveBackend(map, 'c', 'ws://c');
  expect((await loadConfig([map], {})).map(({ config }) => config.name)).toEqual(['a', 'c']);
  await forgetBackend([map], 'a');
  expect(JSON.parse(await readFile(map, 'utf8'))).toEqual({ mcpServers: { c: { url: 'ws://c' } }, other: 1 });
});

test('does not reformat other lines when adding', async () => {
  for (const list of [`[-y, "${'x'.repeat(90)}"]`, `[ -y, "${'x'.repeat(90)}" ]`]) {
    const before = `backends:\n  - name: a\n    command: npx\n    args: ${list}\n`;
    const path = await file('b.yaml', before);
    await saveBackend(path, 'c', 'ws://c');
    expect(await readFile(path, 'utf8')).toBe(`${before}  - name: c\n    url: ws://c\n`);
  }
});

test('creates the file for the first backend', async () => {
  const path = join(directory, 'new', 'backends.yaml');
  await saveBackend(path, 'c', 'ws://c');
  expect(await readFile(path, 'utf8')).toBe('backends:\n  - name: c\n    url: ws://c\n');
});
