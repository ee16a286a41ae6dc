import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from './load.ts';

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

test('a missing variable affects only its own backend', async () => {
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
    /^b\.yaml:3:5: the name "a" is already used/,
  ],
  ['no list at all', 'b.yaml', 'backend: []\n', /expected "backends", "servers" or "mcpServers"/],
  ['a list that is none', 'b.yaml', 'backends: 5\n', /^b\.yaml:1:11: "backends" must be a list/],
])('%s is reported with its line', async (_what, name, content, expected) => {
  expect(await failure(name, content)).toMatch(expected);
});
