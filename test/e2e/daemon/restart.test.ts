import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../kit/daemon.ts';
import { expectFailure, json, output } from '../../kit/results.ts';

const SECRET = 'canary-of-the-key';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(() => sandbox[Symbol.asyncDispose]());

const start = (args: string[] = [], env: NodeJS.ProcessEnv = {}) => sandbox.cli(['start', ...args], { env });
/** From another terminal, in another directory. */
const restart = (args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  sandbox.cli(['restart', ...args], { env: { RELAY_HTTP_PORT: '', ...env }, cwd: sandbox.directory });
const daemon = async () => json(await sandbox.cli(['daemon', 'status', '--json']));

async function takenPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

describe('a restart that cannot succeed', () => {
  it.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
    ['servers', ['--mcp-servers', '/nope.json'], {}, /No such file: \/nope\.json/],
    ['servers', [], { RELAY_MCP_SERVERS_CONFIG: '/nope.json' }, /No such file: \/nope\.json/],
    [
      'TLS',
      [],
      { RELAY_MCP_TLS_CERTIFICATE: '/a.pem', RELAY_MCP_TLS_KEY: '/b.pem' },
      /The TLS files \/a\.pem/,
    ],
    ['database', ['--database', '/nope/relay.db'], {}, /The database \/nope\/relay\.db cannot be opened/],
    [
      'database',
      [],
      { RELAY_DATABASE: 'postgres://u:p@127.0.0.1:1/x' },
      /u:\*\*\*@127\.0\.0\.1:1\/x cannot be reached/,
    ],
    ['setting', ['--port', 'many'], {}, /--port/],
    ['project', [], { RELAY_PROJECT_ROOT: '/nope' }, /RELAY_PROJECT_ROOT is \/nope/],
  ])('does not stop the daemon: %s', async (_what, args, env, message) => {
    output(await start());
    const { pid } = await daemon();
    const refused = await restart(args, env);
    expectFailure(refused, refused.code ?? 0, message);
    expect(refused.code).toBeGreaterThan(0);
    expect((await daemon()).pid).toBe(pid);
  });

  it('does not stop the daemon: invalid servers, and ports of others', async () => {
    output(await start());
    const { pid } = await daemon();
    const file = join(sandbox.directory, 'servers.json');
    await writeFile(file, '{"mcpServers": {"x": {}}}');
    expectFailure(await restart(['--mcp-servers', file]), 2, /servers\.json:1/);
    await using taken = await takenPort();
    for (const args of [['--port'], ['--mcp-http']])
      expectFailure(
        await restart([...args, String(taken.port)]),
        2,
        new RegExp(`Port ${taken.port} .* in use`),
      );
    expect((await daemon()).pid).toBe(pid);
  });

  it('leaves the daemon that does not answer, and says how to go on', async () => {
    output(await start());
    const { pid } = await daemon();
    process.kill(pid, 'SIGSTOP');
    expectFailure(await restart(), 6, /does not say what it was started with/, /restart --force/);
    process.kill(pid, 'SIGCONT');
    expect((await daemon()).pid).toBe(pid);
  });

  it('brings the daemon back as it was, if the new one fails', async () => {
    output(await start(['--mcp-http', '0']));
    const { pid } = await daemon();
    // Only the new daemon looks into it.
    const file = join(sandbox.directory, 'own.db');
    await writeFile(file, 'no database'.repeat(100));
    const failed = await restart(['--database', file]);
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toMatch(
      /^error: The new daemon did not start, so the one before runs again: The database is damaged/,
    );
    const again = await daemon();
    expect(again.pid).not.toBe(pid);
    expect(again.flags).toEqual({ mcpHttp: '0' });
  });
});

describe('a restart', () => {
  const variables = {
    RELAY_MCP_HTTP_ENABLED: 'true',
    RELAY_MCP_HTTP_PORT: '0',
    RELAY_MCP_API_KEY: SECRET,
    RELAY_MCP_SERVERS_CONFIG: 'servers.json',
  };

  it('keeps the variables of the daemon, its project and its secrets, and says so', async () => {
    await writeFile(join(sandbox.projectDirectory, 'servers.json'), '{"mcpServers": {}}');
    const started = output(await start([], variables));
    expect(started).toMatch(/^mcp +http/m);
    const said = output(await restart());
    expect(said).toMatch(
      /^As before: .*RELAY_MCP_HTTP_ENABLED=true, RELAY_MCP_HTTP_PORT=0, RELAY_MCP_API_KEY=\*\*\*/m,
    );
    expect(said).toMatch(/^project +demo$/m);
    expect(said).not.toContain('Changed:');
    const { mcp, mcpApiKey } = await daemon();
    expect(mcpApiKey).toBe(true);
    const ask = (key: string) => fetch(mcp, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
    expect((await ask('wrong-key')).status).toBe(401);
    expect((await ask(SECRET)).status).not.toBe(401);
    expect((await fetch(mcp, { method: 'POST' })).status).toBe(401);
    // Twice, as it comes from the daemon each time.
    output(await restart());
    expect((await daemon()).mcpApiKey).toBe(true);
    await expect(stat(join(sandbox.directory, '.relay'))).rejects.toThrow('ENOENT');
    await expectNowhere(SECRET);
  });

  it('says what changes, and what is given now wins', async () => {
    output(await start(['--mcp-http', '0'], { RELAY_MCP_API_KEY: SECRET }));
    const said = output(
      await restart(['--database', 'other.db'], { RELAY_MCP_API_KEY: 'canary-of-another' }),
    );
    const database = join(sandbox.directory, 'other.db');
    expect(said).toContain(
      `Changed: --database ${database} (new), RELAY_MCP_API_KEY=*** (before: RELAY_MCP_API_KEY=***)\n`,
    );
    expect(said).not.toContain('canary');
    const { mcp } = await daemon();
    const headers = { authorization: `Bearer ${SECRET}` };
    expect((await fetch(mcp, { method: 'POST', headers })).status).toBe(401);
  });

  it('reads the settings file again', async () => {
    await sandbox.writeSettings({ mcp: { http: true, port: 0 } });
    expect(output(await start())).toMatch(/^mcp +http/m);
    await sandbox.writeSettings({});
    expect(output(await restart())).not.toMatch(/^mcp +http/m);
  });

  it('starts a daemon if none runs', async () => {
    await mkdir(join(sandbox.directory, 'x'));
    expect(output(await sandbox.cli(['restart']))).toMatch(/^The daemon was not running\.\nDaemon started/);
  });
});

it('says at a stop how to start it the same way', async () => {
  output(await start(['--mcp-http', '0'], { RELAY_MCP_API_KEY: SECRET }));
  expect(output(await sandbox.cli(['stop']))).toBe(
    'Daemon stopped.\nStart it the same way with: agent-relay daemon start --mcp-http 0, with RELAY_MCP_API_KEY set\n',
  );
});

it('says that a daemon in the background has no MCP client on its input', async () => {
  const { code, stderr } = await start([], { RELAY_MCP_ENABLED: 'true' });
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^note: RELAY_MCP_ENABLED \(mcp\.stdio\) has no effect on a daemon in the background/,
  );
});

/** In no file of the daemon. */
async function expectNowhere(text: string): Promise<void> {
  for (const entry of await readdir(sandbox.dataDirectory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const content = await readFile(join(entry.parentPath, entry.name));
    expect(content.includes(text), join(entry.parentPath, entry.name)).toBe(false);
  }
  const { pid } = await daemon();
  expect((await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(text)).toBe(false);
}
