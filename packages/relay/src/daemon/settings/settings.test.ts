import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configDirectory, withoutPassword } from './locate.ts';
import { loadSettings, settingsSchema } from './settings.ts';
import { FLAGS, longOf, ROWS } from './table.ts';

let directory: string;
let env: Record<string, string>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-settings-'));
  env = { RELAY_CONFIG: directory, RELAY_DATA_DIR: join(directory, 'data'), HOME: directory };
});
afterEach(() => rm(directory, { recursive: true }));

const write = (text: string) => writeFile(join(directory, 'settings.json'), text);
const complaint = (flags = {}) =>
  loadSettings(env, flags).then(
    () => expect.unreachable('the settings were accepted'),
    (error: { code: string; message: string; next: string }) => error,
  );

describe('settings', () => {
  it('have a default for everything', async () => {
    const settings = await loadSettings(env);
    expect(settings).toMatchObject({
      dataDirectory: join(directory, 'data'),
      database: join(directory, 'data', 'relay.db'),
      http: { enabled: true, host: '127.0.0.1', port: 3888, allowedHosts: [], allowedOrigins: [] },
      log: { level: 'info', maxSize: '10M', files: 5 },
      heartbeatMs: 15_000,
    });
  });

  it('are read from a file with comments and trailing commas', async () => {
    await write('{\n  // quiet\n  "log": { "level": "warn", },\n}');
    expect((await loadSettings(env)).log).toEqual({ level: 'warn', maxSize: '10M', files: 5 });
  });

  it('that other users can change are refused, because they name commands to run', async () => {
    await write('{}');
    await chmod(join(directory, 'settings.json'), 0o666);
    expect(await complaint()).toMatchObject({
      code: 'InvalidSettings',
      next: expect.stringContaining(`chmod go-w ${join(directory, 'settings.json')}`),
    });
  });

  it.runIf(process.getuid?.() === 0)("may be changed by the user's own group (needs root)", async () => {
    await write('{}');
    await chmod(join(directory, 'settings.json'), 0o664);
    await chown(join(directory, 'settings.json'), 0, 0);
    await loadSettings(env);
    await chown(join(directory, 'settings.json'), 0, 12345);
    expect((await complaint()).message).toContain('can be changed by other users');
  });

  it.runIf(process.getuid?.() === 0)('of another user are refused (needs root)', async () => {
    await write('{}');
    await chown(join(directory, 'settings.json'), 12345, 12345);
    expect((await complaint()).message).toContain('belongs to another user');
  });

  it('may be an empty file', async () => {
    await write('');
    expect((await loadSettings(env)).http.port).toBe(3888);
  });

  it('are read from a directory; a file in its place is an error', async () => {
    await write('{}');
    const error = await loadSettings({ ...env, RELAY_CONFIG: join(directory, 'settings.json') }).catch(
      (it) => it,
    );
    expect(error).toMatchObject({ code: 'InvalidSettings' });
    expect(error.message).toMatch(/settings\.json cannot be read: part of its path is not a directory\.$/);
  });

  it('prefer flags over the environment, the file and the default, in that order', async () => {
    await write('{"http": {"port": 4001, "host": "127.0.0.2"}}');
    expect((await loadSettings(env)).http).toMatchObject({ port: 4001, host: '127.0.0.2' });
    env.RELAY_HTTP_PORT = '4002';
    expect((await loadSettings(env)).http).toMatchObject({ port: 4002, host: '127.0.0.2' });
    expect((await loadSettings(env, { port: '4003' })).http.port).toBe(4003);
  });

  it('place a relative database beside the file that names it', async () => {
    await write('{"database": "relay.db"}');
    expect((await loadSettings(env)).database).toBe(join(directory, 'relay.db'));
    expect((await loadSettings(env, { database: 'here.db' })).database).toBe(join(process.cwd(), 'here.db'));
    await write('{"database": "~/own.db"}');
    expect((await loadSettings(env)).database).toBe(join(directory, 'own.db'));
    await write('{"database": "mysql://x/y"}');
    expect((await loadSettings(env, { database: '/other.db' })).database).toBe('/other.db');
  });

  it('accept a password from the file or the environment, never from a flag', async () => {
    const url = 'postgres://relay:s3cret@db.example/relay';
    env.RELAY_DATABASE = url;
    expect((await loadSettings(env)).database).toBe(url);
    delete env.RELAY_DATABASE;
    const error = await complaint({ database: url });
    expect(error).toMatchObject({ code: 'InvalidSettings', next: expect.stringContaining('RELAY_DATABASE') });
    expect(error.message).not.toContain('s3cret');
    await expect(loadSettings(env, { database: 'postgres://relay@db.example/relay' })).resolves.toBeDefined();
  });

  it.each([
    ['an unknown key', '{\n  "htpp": {}\n}', ':2: there is no setting "htpp"', '"http"'],
    [
      'an unknown key in a section',
      '{"http": {\n"prot": 1}}',
      ':2: there is no setting "http.prot"',
      '"port"',
    ],
    [
      'an unknown key deeper down',
      '{"hooks": {"question": {\n"comand": []}}}',
      ':2: there is no setting "hooks.question.comand"',
      '"command"',
    ],
    [
      'a webhook that is no web address',
      '{"hooks": {"question": {"webhook": "file:///x"}}}',
      ':1: ',
      'Correct',
    ],
    [
      'a value of the wrong type',
      '{\n\n"http": {"port": "80"}}',
      ':3: http.port: must be a number.',
      'Correct',
    ],
    ['a value out of range', '{"log": {"files": 0}}', ':1: log.files: at least 1.', 'Correct'],
    [
      'a word that is no choice',
      '{"log": {"level": "loud"}}',
      'log.level: must be one of trace, ',
      'Correct',
    ],
    [
      'an element of a list',
      '{"http": {"allowedHosts": ["a", ""]}}',
      'http.allowedHosts.1: is empty',
      'Correct',
    ],
    [
      'a host with a port, which no request could match',
      '{"mcp": {"allowedHosts": ["relay.example:4889"]}}',
      'mcp.allowedHosts.0: must be a name or an address without a port',
      'Correct',
    ],
    ['broken JSON', '{\n"http": \n}', ':3: not JSON', 'Correct'],
    ['something else than an object', '[]', ':1: the settings must be an object', 'Correct'],
    [
      'a database nobody knows',
      '{"database": "mysql://x/y"}',
      'neither a path nor a postgres:// URL',
      'Correct',
    ],
  ])('refuse %s, with its place', async (_what, text, message, next) => {
    await write(text);
    const error = await complaint();
    expect(error.code).toBe('InvalidSettings');
    expect(error.message).toContain(message);
    expect(error.next).toContain(next);
  });

  it('resolve the files of MCP servers relative to the file that names them', async () => {
    await write('{"mcp": {"servers": ["servers.json", "~/own.json"]}}');
    const servers = async (flags = {}) => (await loadSettings(env, flags)).mcp.servers;
    expect(await servers()).toEqual([join(directory, 'servers.json'), join(directory, 'own.json')]);
    env.RELAY_MCP_SERVERS_CONFIG = 'here.json:/there.json';
    expect(await servers()).toEqual([join(process.cwd(), 'here.json'), '/there.json']);
    expect(await servers({ mcpServers: ['flag.json'] })).toEqual([join(process.cwd(), 'flag.json')]);
    await write('{"mcp": {"servers": "servers.json"}}');
    delete env.RELAY_MCP_SERVERS_CONFIG;
    expect((await complaint()).message).toContain(':1: mcp.servers: ');
  });

  it('accept hosts as in a Host header, without the port', async () => {
    env.RELAY_MCP_ALLOWED_HOSTS = 'relay.example, 10.0.0.7, [fd00::7], box';
    expect((await loadSettings(env)).mcp.allowedHosts).toEqual([
      'relay.example',
      '10.0.0.7',
      '[fd00::7]',
      'box',
    ]);
    for (const wrong of ['relay.example:4889', '[fd00::7]:4889', 'fd00::7', 'http://relay.example', 'a/b']) {
      env.RELAY_MCP_ALLOWED_HOSTS = wrong;
      expect(await complaint()).toMatchObject({
        code: 'InvalidSettings',
        message: expect.stringMatching(/RELAY_MCP_ALLOWED_HOSTS.*without a port/),
      });
    }
  });

  it('configure MCP by variables and flags', async () => {
    await write('{"mcp": {"port": 4001, "tlsCertificate": "cert.pem", "tlsKey": "~/key.pem"}}');
    Object.assign(env, {
      RELAY_MCP_ENABLED: 'true',
      RELAY_MCP_HTTP_ENABLED: '1',
      RELAY_MCP_HTTP_HOST: '127.0.0.2',
      RELAY_MCP_API_KEY: 'from-the-environment',
      RELAY_MCP_ALLOWED_HOSTS: 'relay.example, 10.0.0.7',
    });
    expect((await loadSettings(env)).mcp).toMatchObject({
      stdio: true,
      http: true,
      host: '127.0.0.2',
      port: 4001,
      apiKey: 'from-the-environment',
      allowedHosts: ['relay.example', '10.0.0.7'],
      tlsCertificate: join(directory, 'cert.pem'),
      tlsKey: join(directory, 'key.pem'),
    });
    env.RELAY_MCP_HTTP_ENABLED = 'false';
    expect((await loadSettings(env)).mcp.http).toBe(false);
    env.RELAY_MCP_HTTP_PORT = '4002';
    expect((await loadSettings(env, { mcpHttp: true })).mcp).toMatchObject({ http: true, port: 4002 });
    expect((await loadSettings(env, { mcpHttp: '4003', mcpApiKey: 'from-a-flag' })).mcp).toMatchObject({
      http: true,
      port: 4003,
      apiKey: 'from-a-flag',
    });
  });

  it('require a certificate and its key together', async () => {
    await write('{\n"mcp": {"tlsKey": "key.pem"}}');
    expect((await complaint()).message).toMatch(/:2: TLS needs both .*mcp\.tlsCertificate, mcp\.tlsKey/);
  });

  it('name the variable or the flag in the error for its value', async () => {
    await write('{"http": {"port": 1}}');
    env.RELAY_HTTP_PORT = 'many';
    expect((await complaint()).message).toMatch(/^RELAY_HTTP_PORT: /);
    expect((await complaint({ port: '99999' })).message).toMatch(/^--port: /);
    delete env.RELAY_HTTP_PORT;
    expect((await complaint({ mcpHttp: 'here' })).message).toMatch(/^--mcp-http: /);
    env.RELAY_MCP_ENABLED = 'perhaps';
    expect((await complaint()).message).toMatch(/^RELAY_MCP_ENABLED: /);
  });
});

describe('settings as variables', () => {
  it('are those that were given, for a daemon in another directory, and no others', async () => {
    await write('{"http": {"host": "127.0.0.2"}, "mcp": {"allowedHosts": ["x", "y"]}}');
    const given = { ...env, RELAY_MCP_SERVERS_CONFIG: 'a.json:b.json', RELAY_MCP_HTTP_PORT: '4001' };
    const flags = { database: 'here.db', mcpHttp: '4003', mcpApiKey: 'from-a-flag' };
    const { flags: kept, variables, ...settings } = await loadSettings(given, flags);
    expect(kept).toEqual({ database: join(process.cwd(), 'here.db'), mcpHttp: '4003' });
    expect(variables).toEqual({
      RELAY_MCP_SERVERS_CONFIG: ['a.json', 'b.json'].map((name) => join(process.cwd(), name)).join(':'),
      RELAY_MCP_HTTP_PORT: '4003',
      RELAY_MCP_API_KEY: 'from-a-flag',
    });
    expect(await loadSettings({ ...env, ...variables }, kept)).toEqual({
      ...settings,
      flags: kept,
      variables,
    });
  });
});

describe('the configuration directory', () => {
  it('is RELAY_CONFIG, else under XDG_CONFIG_HOME, else under home', () => {
    expect(configDirectory({ RELAY_CONFIG: '/a', XDG_CONFIG_HOME: '/b' })).toBe('/a');
    expect(configDirectory({ XDG_CONFIG_HOME: '/b', HOME: '/c' })).toBe('/b/agent-relay');
    expect(configDirectory({ XDG_CONFIG_HOME: 'relative', HOME: '/c' })).toBe('/c/.config/agent-relay');
  });
});

describe('a database shown to people', () => {
  it('has no password', () => {
    expect(withoutPassword('postgres://u:p%40w@host/db')).toBe('postgres://u:***@host/db');
    expect(withoutPassword('postgresql://host/db?user=u&password=pw&x=1')).toBe(
      'postgresql://host/db?user=u&password=***&x=1',
    );
    expect(withoutPassword('/home/me/relay.db')).toBe('/home/me/relay.db');
  });
});

describe('docs/settings.md', () => {
  it('documents every field with its default, and no others', async () => {
    const text = await readFile(new URL('../../../../../docs/settings.md', import.meta.url), 'utf8');
    const fields = text.slice(text.indexOf('## Fields'), text.indexOf('## Environment'));
    const rows = [...fields.matchAll(/^\| `([^`]+)` \| `([^`]+)`/gm)].map(([, name, value]) => [name, value]);
    const { database: _place, ...defaults } = settingsSchema.parse({});
    const actual = Object.entries(defaults).flatMap(([name, value]) =>
      typeof value === 'object' && name !== 'clis'
        ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, JSON.stringify(one)])
        : [[name, JSON.stringify(value)]],
    );
    expect(rows).toEqual([['database', 'relay.db'], ...actual]);
    const { shape } = settingsSchema;
    const names = Object.entries(shape).flatMap(([name, inner]) =>
      inner instanceof z.ZodPrefault
        ? Object.keys(inner.unwrap().shape).map((key) => `${name}.${key}`)
        : [name],
    );
    const named = [...fields.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(names.sort());
  });

  it('documents every variable of the table with its setting, and no others', async () => {
    const text = await readFile(new URL('../../../../../docs/settings.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| `(RELAY_\w+)` \| Sets `([\w.]+)`/gm)];
    const variables = ROWS.flatMap(({ path, setting: { env } }) => (env ? [[env, path.join('.')]] : []));
    expect(rows.map(([, variable, setting]) => [variable, setting])).toEqual(variables);
    const others = [...text.matchAll(/^\| `(RELAY_\w+)` \| (?!Sets)/gm)].map(([, name]) => name);
    expect(others).toEqual(['RELAY_CONFIG', 'RELAY_DATA_DIR']);
  });
});

describe('docs/security.md', () => {
  it('documents every limit with its default, and no others', async () => {
    const text = await readFile(new URL('../../../../../docs/security.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| `([\w.]+)` \| `([^`]+)` \| \S/gm)];
    const limits = ROWS.filter(
      ({ path: [section = '', name = ''] }) =>
        ['limits', 'rateLimit', 'attachments', 'quotas', 'dashboard'].includes(section) ||
        /^max|^files$|PerMinute$|Turns$/.test(name),
    );
    const expected = limits.map(({ path, setting }) => [
      path.join('.'),
      JSON.stringify(setting.schema(z).parse(undefined)),
    ]);
    expect(rows.map(([, name, value]) => [name, value]).sort()).toEqual(expected.sort());
  });
});

describe('docs/cli.md', () => {
  it('has every flag of the table among the options of "agent-relay up", and no others', async () => {
    const text = await readFile(new URL('../../../../../docs/cli.md', import.meta.url), 'utf8');
    const start = text.indexOf('### agent-relay up\n');
    const section = text.slice(start, text.indexOf('\n### ', start + 1));
    const named = [...section.matchAll(/^\| `(--[^`]+)` \|/gm)].map(([, words]) => words);
    const notSettings = ['--project <name>', '--tools <list>'];
    expect(named.filter((words) => !notSettings.includes(words ?? '')).sort()).toEqual(
      [...FLAGS].map(({ words }) => words).sort(),
    );
  });
});

describe('the table', () => {
  it.each([...FLAGS])('calls $words what commander calls it', ({ words, name }) => {
    expect(new Option(words).attributeName()).toBe(name);
  });

  it('stores no key for a restart', () => {
    expect([...FLAGS].filter(({ kept }) => kept).map(longOf)).toEqual([
      '--database',
      '--port',
      '--mcp-http',
      '--mcp-servers',
    ]);
  });
});
