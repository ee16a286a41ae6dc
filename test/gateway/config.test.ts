import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../packages/gateway/src/config/load.ts';
import { forgetBackend, saveBackend } from '../../packages/gateway/src/config/save.ts';

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
const load = async (name: string, content: string, env = {}) => loadConfig([await file(name, content)], env);
const failure = (name: string, content: string) =>
  load(name, content).then(
    () => 'accepted',
    (error: Error) => error.message.replace(`${directory}/`, ''),
  );

test('backends.yaml: a list of names and WebSocket URLs', async () => {
  const [fiedler, dewey] = await load(
    'backends.yaml',
    'backends:\n  - name: fiedler\n    url: ws://localhost:9010\n  - name: dewey\n    url: wss://host:9022\n',
  );
  expect(fiedler?.config).toMatchObject({
    name: 'fiedler',
    endpoint: { kind: 'ws', url: 'ws://localhost:9010' },
    timeoutMs: 900_000,
    scope: 'shared',
    pin: 'warn',
    lazy: false,
  });
  expect(dewey?.config.endpoint).toMatchObject({ kind: 'ws' });
});

test('mcp-servers.json: a list of commands, variables expanded from the environment', async () => {
  const [github] = await load(
    'mcp-servers.json',
    '{ "servers": [ { "name": "github", "command": "npx", "args": ["-y", "x"], "env": { "TOKEN": "$' +
      '{GITHUB_TOKEN}", "REGION": "$' +
      '{REGION:-eu}" } } ] }',
    { GITHUB_TOKEN: 'secret' },
  );
  expect(github?.config.endpoint).toEqual({
    kind: 'stdio',
    command: 'npx',
    args: ['-y', 'x'],
    env: { TOKEN: 'secret', REGION: 'eu' },
  });
});

test("an editor's mcpServers map, with comments and settings of its own", async () => {
  const all = await load(
    'mcp.json',
    '{\n // mine\n "mcpServers": { "a": { "type": "http", "url": "https://x/mcp", "headers": { "X-Key": "k" }, "autoApprove": [] }, "b": { "command": "b", "disabled": true }, },\n}',
  );
  expect(all.map(({ config }) => config.name)).toEqual(['a']);
  expect(all[0]?.config.endpoint).toEqual({ kind: 'http', url: 'https://x/mcp', headers: { 'X-Key': 'k' } });
});

test('every setting of a backend', async () => {
  const [one] = await load(
    'b.yaml',
    'backends:\n  - { name: one, url: "http://h/sse", type: sse, prefix: true, allow: [a], deny: [b], timeout: 5, lazy: true, idleStop: 60, pin: strict, scope: session }\n  - { name: off, url: "ws://h", enabled: false }\n',
  );
  expect(one?.config).toMatchObject({
    endpoint: { kind: 'sse' },
    prefix: 'one_',
    allow: ['a'],
    deny: ['b'],
    timeoutMs: 5000,
    lazy: true,
    idleStopMs: 60_000,
    pin: 'strict',
    scope: 'session',
  });
});

test('a variable that is set nowhere is the problem of that backend alone', async () => {
  const [bad, good] = await load(
    'b.yaml',
    'backends:\n  - { name: bad, url: "ws://h", headers: { A: "$' +
      '{NOPE}" } }\n  - { name: good, url: "ws://h" }\n',
  );
  expect(bad?.problem).toMatch(/NOPE not set \(.*b\.yaml:2:5\)/);
  expect(good?.problem).toBeUndefined();
});

test.each([
  ['invalid YAML', 'b.yaml', 'backends:\n  - name: a\n    url: [\n', /^b\.yaml:\d+:\d+: /],
  ['invalid JSON', 'b.json', '{\n  "servers": [,]\n}', /^b\.json:2:15: /],
  [
    'a wrong type',
    'b.yaml',
    'backends:\n  - name: a\n    url: ws://h\n    timeout: long\n',
    /^b\.yaml:4:14: timeout: must be a number/,
  ],
  [
    'an unknown setting',
    'b.yaml',
    'backends:\n  - name: a\n    url: ws://h\n    tiemout: 5\n',
    /^b\.yaml:2:5: unknown field "tiemout"/,
  ],
  ['neither url nor command', 'b.yaml', 'backends:\n  - name: a\n', /needs either "url" or "command"/],
  [
    'a URL of another kind',
    'b.yaml',
    'backends:\n  - name: a\n    url: ftp://h\n',
    /^b\.yaml:3:10: url: must be a ws/,
  ],
  [
    'a name twice',
    'b.yaml',
    'backends:\n  - {name: a, url: ws://h}\n  - {name: a, url: ws://i}\n',
    /^b\.yaml:3:5: the name "a" is taken/,
  ],
  ['no list at all', 'b.yaml', 'backend: []\n', /none of "backends", "servers" and "mcpServers" is here/],
  ['a list that is none', 'b.yaml', 'backends: 5\n', /^b\.yaml:1:11: "backends" must be a list/],
])('%s is told with its place', async (_what, name, content, expected) => {
  expect(await failure(name, content)).toMatch(expected);
});

test('adding and removing keeps comments, order and permissions of a YAML file', async () => {
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

test('long lines stay as they are', async () => {
  const words = 'word '.repeat(60).trim();
  const long = `  - name: a\n    command: a\n    args: [ "${words}", "${words}" ] # ${words}\n`;
  const path = await file('b.yaml', `backends:\n${long}`);
  await saveBackend(path, 'c', 'ws://c');
  expect(await readFile(path, 'utf8')).toBe(`backends:\n${long}  - name: c\n    url: ws://c\n`);
});

test('a disabled entry is not overwritten by one of the same name', async () => {
  const content = 'mcpServers:\n  a: # not now\n    command: a\n    disabled: true\n';
  const path = await file('map.yaml', content);
  await expect(saveBackend(path, 'a', 'ws://a')).rejects.toMatchObject({
    code: 'BackendExists',
    message: expect.stringContaining('map.yaml:3:5'),
  });
  expect(await readFile(path, 'utf8')).toBe(content);
});

test('adding to a JSON file uses the form the file has', async () => {
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

test('adding leaves long lines and lists in one line as they are', async () => {
  for (const list of [`[-y, "${'x'.repeat(90)}"]`, `[ -y, "${'x'.repeat(90)}" ]`]) {
    const before = `backends:\n  - name: a\n    command: npx\n    args: ${list}\n`;
    const path = await file('b.yaml', before);
    await saveBackend(path, 'c', 'ws://c');
    expect(await readFile(path, 'utf8')).toBe(`${before}  - name: c\n    url: ws://c\n`);
  }
});

test('the first backend creates the file', async () => {
  const path = join(directory, 'new', 'backends.yaml');
  await saveBackend(path, 'c', 'ws://c');
  expect(await readFile(path, 'utf8')).toBe('backends:\n  - name: c\n    url: ws://c\n');
});
