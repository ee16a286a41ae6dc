import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { GatewayKit, scripted, textOf, tool } from './kit/gateway-kit.ts';
import { startWebSocketServer } from './kit/websocket-server.ts';

const statusOf = (kit: GatewayKit, name: string) =>
  kit.gateway.status().servers.find((server) => server.name === name);

/** A WebSocket backend that was connected once and is gone now. */
async function lostBackend(limits = {}) {
  const server = await startWebSocketServer([tool('echo')]);
  const kit = await GatewayKit.start([{ name: 'ws', url: server.url }], { limits });
  await server[Symbol.asyncDispose]();
  await eventually(() => statusOf(kit, 'ws')?.health === 'failed');
  return { kit, port: Number(new URL(server.url).port) };
}

test('does not delay a reconnect because of failed calls', async () => {
  const { kit, port } = await lostBackend({ reconnectMs: 300 });
  await using _kit = kit;
  const client = await kit.client();
  for (let n = 0; n < 12; n++) expect((await client.callTool({ name: 'echo' })).isError).toBe(true);
  await using _back = await startWebSocketServer([tool('echo')], { port });
  await eventually(() => statusOf(kit, 'ws')?.health === 'healthy', 5000);
});

test('reconnects a failed backend at once for a call', async () => {
  const { kit, port } = await lostBackend({ reconnectMs: 600_000 });
  await using _kit = kit;
  await using _back = await startWebSocketServer([tool('echo')], { port });
  const client = await kit.client();
  expect(textOf(await client.callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
  expect(statusOf(kit, 'ws')).toMatchObject({ health: 'healthy', connected: true });
  expect(statusOf(kit, 'ws')).not.toHaveProperty('error');
});

test('shares one attempt between calls to a failed backend, with the reason and the next step for each', async () => {
  const { kit, port } = await lostBackend({ reconnectMs: 600_000 });
  await using _kit = kit;
  const refusing = createServer();
  const attempts: Socket[] = [];
  refusing.on('connection', (socket) => {
    attempts.push(socket);
    socket.on('error', () => undefined);
  });
  await once(refusing.listen(port, '127.0.0.1'), 'listening');
  expect((refusing.address() as AddressInfo).port).toBe(port);
  const client = await kit.client();
  const calls = Promise.all(Array.from({ length: 5 }, () => client.callTool({ name: 'echo' })));
  // It is answered after the calls have begun: all of them wait for this attempt.
  await client.callTool({ name: 'relay_get_status' });
  (await eventually(() => attempts[0])).destroy();
  const batch = await calls;
  expect(attempts).toHaveLength(1);
  for (const { structuredContent } of batch)
    expect(structuredContent).toMatchObject({
      error: {
        code: 'BackendUnavailable',
        message: expect.stringContaining('"ws"'),
        next: 'See the reason with the tool relay_get_status. The gateway keeps reconnecting; the next call tries at once.',
      },
    });
  const another = client.callTool({ name: 'echo' });
  (await eventually(() => attempts[1])).destroy();
  expect(await another).toMatchObject({ isError: true });
  expect(attempts).toHaveLength(2);
  await new Promise((resolve) => refusing.close(resolve));
});

test('does not start a backend with a missing variable, even by a reconnect', async () => {
  await using kit = await GatewayKit.create();
  const script = { tools: [tool('echo')], journal: kit.path('journal') };
  await kit.configure([scripted('one', script, { env: { KEY: '$' + '{NOT_SET_ANYWHERE}' } })]);
  await (await kit.open()).ready();
  const client = await kit.client();
  const answer = await client.callTool({ name: 'relay_reconnect_server', arguments: { name: 'one' } });
  expect(answer.isError).toBe(true);
  expect(textOf(answer)).toContain('NOT_SET_ANYWHERE not set');
  expect(statusOf(kit, 'one')?.error).toContain('NOT_SET_ANYWHERE not set');
  expect(await kit.journal()).toEqual([]);
});

/** A backend that accepts connections and never answers. */
const hanging = (tools: unknown[] = []) =>
  startWebSocketServer(tools, { ready: new Promise(() => undefined) });

test('ends a hanging attempt on a manual reconnect, without counting it as a failure', async () => {
  await using server = await hanging();
  await using kit = await GatewayKit.create();
  await kit.configure([{ name: 'slow', url: server.url }]);
  await kit.open({ startupMs: 0, limits: { connectMs: 600_000, callConnectMs: 600_000 }, logLevel: 'debug' });
  await eventually(() => server.connections.length === 1);
  const client = await kit.client();
  const stop = new AbortController();
  const params = { name: 'relay_reconnect_server', arguments: { name: 'slow' } };
  const asked = client.callTool(params, { signal: stop.signal });
  await eventually(() => server.connections.length === 2);
  expect(statusOf(kit, 'slow')).toMatchObject({ health: 'connecting' });
  expect(kit.logs.filter((line) => /failed|cannot connect/.test(line))).toEqual([]);
  stop.abort();
  await expect(asked).rejects.toThrow('aborted');
});

test('adds a server while another one hangs', async () => {
  await using hangs = await hanging();
  await using good = await startWebSocketServer([tool('echo')]);
  await using kit = await GatewayKit.create();
  await kit.configure([{ name: 'slow', url: hangs.url }]);
  await kit.open({ limits: { connectMs: 600_000, callConnectMs: 600_000 } });
  const client = await kit.client();
  const added = client.callTool({ name: 'relay_add_server', arguments: { name: 'new', url: good.url } });
  expect(textOf(await added)).toContain("Server 'new' added and connected");
});
