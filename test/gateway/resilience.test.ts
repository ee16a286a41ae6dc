import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { GatewayKit, scripted, textOf, tool } from './kit/gateway-kit.ts';
import { isAlive, processesIn } from './kit/processes.ts';
import { startWebSocketServer } from './kit/websocket-server.ts';

const health = (kit: GatewayKit, name: string) =>
  kit.gateway.status().servers.find((server) => server.name === name)?.health;

test('restarts a crashed stdio backend', async () => {
  await using kit = await GatewayKit.start([scripted('one', { tools: [tool('crash'), tool('echo')] })]);
  const client = await kit.client();
  const crashed = await client.callTool({ name: 'crash' });
  expect(crashed.isError).toBe(true);
  // It may have run.
  expect(crashed.structuredContent).toMatchObject({
    error: { code: 'BackendUnavailable', retryable: false },
  });
  expect(health(kit, 'one')).toBe('failed');
  await eventually(() => health(kit, 'one') === 'healthy');
});

test.each([
  ['a link to nowhere', (kit: GatewayKit) => kit.path('state')],
  ['in a directory that takes no others', () => '/proc/agent-relay'],
])('works with a state directory that is %s, and reports it', async (_, stateDir) => {
  await using kit = await GatewayKit.create();
  await kit.configure([scripted('one', { tools: [tool('echo')] })]);
  await symlink(kit.path('nowhere'), kit.path('state'));
  await (await kit.open({ stateDir: stateDir(kit) })).ready();
  const client = await kit.client();
  expect(textOf(await client.callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
  for (const complaint of ['Cannot save the lists of the servers', 'Cannot save the tool definitions of one'])
    await eventually(() => kit.logs.some((line) => line.startsWith(`warn ${complaint}`)));
  await kit.gateway.reload();
  expect(kit.gateway.status()).not.toHaveProperty('config_error');
});

test('reconnects a disconnected backend for a call, without waiting for the backoff', async () => {
  await using kit = await GatewayKit.start([scripted('one', { tools: [tool('crash'), tool('echo')] })], {
    limits: { reconnectMs: 60_000 },
  });
  const client = await kit.client();
  await client.callTool({ name: 'crash' });
  expect(textOf(await client.callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
});

test('repeats a call that was sent once, and only if the tool is read-only or idempotent', async () => {
  await using kit = await GatewayKit.create();
  const dying = (name: string, annotations: object) => ({ ...tool(name), annotations });
  const script = { tools: [tool('crash')], journal: kit.path('journal') };
  await kit.configure([
    scripted('plain', script),
    scripted('reads', { ...script, tools: [dying('crash', { readOnlyHint: true })] }, { prefix: 'reads_' }),
    scripted('idem', { ...script, tools: [dying('crash', { idempotentHint: true })] }, { prefix: 'idem_' }),
  ]);
  await (await kit.open()).ready();
  const client = await kit.client();
  const calls = async () => (await kit.journal()).filter((line) => line.startsWith('call ')).length;
  expect((await client.callTool({ name: 'crash' })).isError).toBe(true);
  expect(await calls()).toBe(1);
  expect((await client.callTool({ name: 'reads_crash' })).isError).toBe(true);
  expect(await calls()).toBe(3);
  expect((await client.callTool({ name: 'idem_crash' })).isError).toBe(true);
  expect(await calls()).toBe(5);
});

test('reconnects a WebSocket backend, with its headers and subprotocol', async () => {
  const first = await startWebSocketServer([tool('echo')]);
  const port = Number(new URL(first.url).port);
  await using kit = await GatewayKit.start([
    { name: 'ws', url: first.url, headers: { 'x-key': 'k' }, subprotocol: 'mcp' },
  ]);
  expect(first.connections[0]).toMatchObject({ headers: { 'x-key': 'k' }, protocol: 'mcp' });
  await first[Symbol.asyncDispose]();
  await eventually(() => health(kit, 'ws') === 'failed');
  await using _second = await startWebSocketServer([tool('echo')], { port });
  await eventually(() => health(kit, 'ws') === 'healthy');
  expect(textOf(await (await kit.client()).callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
});

test('serves others without delay while a backend is dead or hangs', async () => {
  await using kit = await GatewayKit.create();
  await kit.configure([
    { name: 'dead', url: 'ws://127.0.0.1:1' },
    scripted('hangs', { hang: ['initialize', 'server/discover'] }),
    scripted('mute', { tools: [tool('hang')], hang: ['tools/list'] }),
    scripted('good', { tools: [tool('echo')] }),
  ]);
  await kit.open({ startupMs: 500, limits: { connectMs: 600_000 } });
  const client = await kit.client();
  await eventually(() => health(kit, 'good') === 'healthy');
  expect(textOf(await client.callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
  expect(['dead', 'hangs', 'mute'].map((name) => health(kit, name))).toEqual([
    'failed',
    'connecting',
    'connecting',
  ]);
});

test('ends a hanging call at its timeout, and keeps its backend', async () => {
  await using kit = await GatewayKit.create();
  await kit.configure([
    scripted('one', { tools: [tool('hang'), tool('echo')], journal: kit.path('journal') }, { timeout: 0.3 }),
  ]);
  await (await kit.open()).ready();
  const client = await kit.client();
  const [hung, echoed] = await Promise.all([
    client.callTool({ name: 'hang' }),
    client.callTool({ name: 'echo', arguments: {} }),
  ]);
  expect(hung.structuredContent).toMatchObject({ error: { code: 'Timeout' } });
  expect(textOf(echoed)).toBe('echo {}');
  await eventually(async () =>
    (await kit.journal()).some((line) => line.startsWith('notifications/cancelled')),
  );
});

test('cancels a call at the backend, and never answers it', async () => {
  await using kit = await GatewayKit.create();
  await kit.configure([scripted('one', { tools: [tool('hang')], journal: kit.path('journal') })]);
  await (await kit.open()).ready();
  const client = await kit.client();
  const stop = new AbortController();
  const call = client.callTool({ name: 'hang' }, { signal: stop.signal });
  await eventually(async () => (await kit.journal()).some((line) => line.startsWith('call hang')));
  stop.abort();
  await expect(call).rejects.toThrow('aborted');
  await eventually(async () =>
    (await kit.journal()).some((line) => line.startsWith('notifications/cancelled')),
  );
});

test('gives a backend a minimal environment and its configured directory', async () => {
  process.env.GATEWAY_TEST_SECRET = 'canary';
  await using kit = await GatewayKit.create();
  await kit.configure([
    scripted(
      'one',
      { tools: [tool('environment'), tool('where')] },
      { env: { OWN: 'yes' }, cwd: kit.directory },
    ),
  ]);
  await (await kit.open()).ready();
  const client = await kit.client();
  const environment = JSON.parse(textOf(await client.callTool({ name: 'environment' }))) as Record<
    string,
    string
  >;
  expect(environment).toMatchObject({ OWN: 'yes', PATH: process.env.PATH });
  expect(JSON.stringify(environment)).not.toContain('canary');
  expect(textOf(await client.callTool({ name: 'where' }))).toContain('gateway-');
  delete process.env.GATEWAY_TEST_SECRET;
});

test('gives a backend every configured variable, whatever its name', async () => {
  const env = { OWN: 'yes', 'ConnectionStrings:Default': 'db', 'log.level': 'debug', 'my-key': 'k' };
  await using kit = await GatewayKit.start([scripted('one', { tools: [tool('environment')] }, { env })]);
  const client = await kit.client();
  const answer = await client.callTool({ name: 'environment' });
  expect(JSON.parse(textOf(answer))).toMatchObject(env);
});

// These mostly wait, for what a program gets to end or to answer in.
test.concurrent('initializes a server that crashes on the probe for the newest revision, or ignores it', async () => {
  await using kit = await GatewayKit.start([
    scripted('dies', { tools: [tool('a')], diesOfUnknown: true }),
    scripted('ignores', { tools: [tool('b')], ignoresUnknown: true }),
  ]);
  expect(kit.gateway.status().servers.map((server) => server.health)).toEqual(['healthy', 'healthy']);
});

test.concurrent('ends the whole process group of a backend that ignores signals', async () => {
  await using kit = await GatewayKit.create();
  await kit.configure([
    scripted('one', { tools: [tool('echo')], stubborn: true, journal: kit.path('journal') }),
  ]);
  await (await kit.open()).ready();
  const pids = processesIn(await kit.journal());
  expect(pids.every(isAlive)).toBe(true);
  await kit.gateway.close();
  await eventually(() => !pids.some(isAlive));
});

test.concurrent('ends a backend that hangs while it connects when it is removed, or the gateway closed', async () => {
  await using kit = await GatewayKit.create();
  const script = { hang: ['tools/list'], stubborn: true, journal: kit.path('journal') };
  const hanging = (name: string) => scripted(name, script);
  const started = (count: number) =>
    eventually(async () => {
      const pids = processesIn(await kit.journal());
      return pids.length === count ? pids : undefined;
    });
  await kit.configure([hanging('one')]);
  const gateway = await kit.open({ limits: { connectMs: 60_000 } });
  const first = await started(2);
  await kit.configure([hanging('two')]);
  await eventually(() => !first.some(isAlive));
  const second = await started(4);
  await gateway.close();
  await eventually(() => !second.some(isAlive));
});

test.concurrent('leaves no backend running when the gateway is killed', async () => {
  await using kit = await GatewayKit.create();
  await kit.configure([
    scripted('one', { tools: [tool('echo')], stubborn: true, journal: kit.path('journal') }),
  ]);
  const program = fileURLToPath(new URL('kit/run-gateway.ts', import.meta.url));
  const gateway = spawn(
    process.execPath,
    [program, JSON.stringify({ config: [kit.configFile], stateDir: kit.path('state') })],
    {
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  const pids = await eventually(async () => {
    const found = processesIn(await kit.journal());
    return found.length === 2 ? found : undefined;
  });
  gateway.kill('SIGKILL');
  await once(gateway, 'exit');
  await eventually(() => !pids.some(isAlive));
});

test.skipIf(process.platform !== 'linux')(
  'leaves no starting backend running when the gateway is killed (needs /proc)',
  async () => {
    await using kit = await GatewayKit.create();
    const deaf = { command: '/bin/sh', args: ['-c', 'trap "" TERM; sleep 60 & wait; sleep 60'] };
    await kit.configure(['one', 'two', 'three'].map((name) => ({ name, ...deaf })));
    const program = fileURLToPath(new URL('kit/run-gateway.ts', import.meta.url));
    const options = JSON.stringify({ config: [kit.configFile], stateDir: kit.path('state') });
    const left: number[] = [];
    // The first child is the one that ends the others.
    for (const count of [2, 3, 4, 2, 3, 4]) {
      const gateway = spawn(process.execPath, [program, options], { stdio: ['pipe', 'ignore', 'ignore'] });
      const exited = once(gateway, 'exit');
      const children = () =>
        readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, 'utf8').split(' ').map(Number);
      let [, ...started] = children();
      while (started.length < count) [, ...started] = children();
      gateway.kill('SIGKILL');
      await exited;
      left.push(...started.filter((pid) => pid > 0));
    }
    expect(left.length).toBeGreaterThan(0);
    await eventually(() => !left.some(isAlive));
  },
);

test('shows the reason if a program cannot be started', async () => {
  await using kit = await GatewayKit.start([
    { name: 'nowhere', command: 'no-such-program' },
    { name: 'astray', command: 'node', cwd: '/no/such/directory' },
    { name: 'ends', command: 'sh', args: ['-c', 'echo the key is not valid >&2; exit 3'] },
    { name: 'throws', command: process.execPath, args: ['-e', 'throw new TypeError("no such place")'] },
  ]);
  const { servers } = kit.gateway.status();
  expect(servers.map(({ error }) => error)).toEqual([
    expect.stringMatching(/no-such-program: not found/),
    expect.stringMatching(/cannot start node in \/no\/such\/directory: /),
    'the process exited with code 3; last output: the key is not valid',
    'the process exited with code 1; last output: TypeError: no such place',
  ]);
});

test('ends with its client, and ends its backends', async () => {
  await using kit = await GatewayKit.create();
  await kit.configure([scripted('one', { tools: [tool('echo')], journal: kit.path('journal') })]);
  const program = fileURLToPath(new URL('kit/run-gateway.ts', import.meta.url));
  const options = JSON.stringify({ config: [kit.configFile], stateDir: kit.path('state') });
  const gateway = spawn(process.execPath, [program, options], { stdio: ['pipe', 'pipe', 'ignore'] });
  gateway.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  const [answer] = (await once(gateway.stdout, 'data')) as [Buffer];
  expect(JSON.parse(answer.toString()).result.tools.at(-1).name).toBe('echo');
  const pids = processesIn(await kit.journal());
  const exited = once(gateway, 'exit');
  gateway.stdin.end();
  expect(await exited).toEqual([0, null]);
  expect(pids.some(isAlive)).toBe(false);
});
