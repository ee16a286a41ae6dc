import { expect, test } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { GatewayKit, scripted, textOf, tool } from './kit/gateway-kit.ts';
import { startWebSocketServer } from './kit/websocket-server.ts';

const names = async (client: Awaited<ReturnType<GatewayKit['client']>>) =>
  (await client.listTools()).tools.map(({ name }) => name);

test('does not wait for a hanging backend; its tools follow with list_changed', async () => {
  const released = Promise.withResolvers<void>();
  await using slow = await startWebSocketServer([tool('late')], { ready: released.promise });
  await using kit = await GatewayKit.create();
  await kit.configure([{ name: 'slow', url: slow.url }]);
  await kit.open({ startupMs: 200, limits: { connectMs: 60_000 } });
  const client = await kit.client();
  const followed = Promise.withResolvers<void>();
  client.setNotificationHandler('notifications/tools/list_changed', async () => {
    if ((await names(client)).includes('late')) followed.resolve();
  });
  expect(await names(client)).not.toContain('late');
  expect(kit.gateway.status().servers[0]).toMatchObject({ health: 'connecting', tools: 0 });
  released.resolve();
  await followed.promise;
});

test('shows a server as connecting after the start, with its remembered tools', async () => {
  await using kit = await GatewayKit.create();
  const stateDir = kit.path('state');
  await kit.configure([scripted('one', { tools: [tool('echo')] })]);
  await (await kit.open({ stateDir })).ready();
  await kit.gateway.close();
  await kit.open({ stateDir });
  const client = await kit.client();
  const status = kit.gateway.status().servers[0];
  expect(status).toMatchObject({ health: 'connecting', connected: false, tools: 1 });
  expect(status).not.toHaveProperty('error');
  const shown = client.callTool({ name: 'relay_list_servers', arguments: {} });
  expect(textOf(await shown)).toMatch(
    /- \*\*one\*\*: ⏳ Connecting\n {2}- URL: .*\n {2}- Valid Tools: 1 \(from the last connection\)$/m,
  );
});

test('does not report a remembered invalid tool before its server connects', async () => {
  const bad = { name: 'bad_tool' };
  const first = await startWebSocketServer([tool('echo'), bad]);
  const lines: string[] = [];
  await using kit = await GatewayKit.create();
  const stateDir = kit.path('state');
  await kit.configure([{ name: 'dead', url: first.url }]);
  await (await kit.open({ stateDir })).ready();
  await kit.gateway.close();
  await first[Symbol.asyncDispose]();
  await kit.open({ stateDir, log: (line) => lines.push(line) });
  expect(kit.gateway.status().servers[0]).toMatchObject({
    health: 'connecting',
    invalid_tools: [{ name: 'bad_tool' }],
  });
  expect(kit.gateway.status().servers[0]).not.toHaveProperty('error');
  await eventually(() => lines.some((line) => line.startsWith('dead: failed')));
  expect(lines.filter((line) => line.startsWith('Invalid tool'))).toEqual([]);
});

test('names the servers that are not connected for an unknown tool', async () => {
  await using kit = await GatewayKit.create();
  await kit.configure([
    scripted('hangs', { hang: ['initialize', 'server/discover'] }),
    { name: 'dead', url: 'ws://127.0.0.1:1' },
    scripted('good', { tools: [tool('echo')] }),
  ]);
  await kit.open({ startupMs: 1000 });
  const client = await kit.client();
  await eventually(() => kit.gateway.status().servers[1]?.health === 'failed');
  await expect(client.callTool({ name: 'anything' })).rejects.toThrow(
    /Unknown tool: anything\. .*hangs \(connecting\), dead \(failed\)/,
  );
});

test('shows no old error while a failed server is reconnected', async () => {
  const first = await startWebSocketServer([tool('echo')]);
  const port = Number(new URL(first.url).port);
  await using kit = await GatewayKit.start([{ name: 'ws', url: first.url }], {
    limits: { reconnectMs: 600_000 },
  });
  await first[Symbol.asyncDispose]();
  await eventually(() => kit.gateway.status().servers[0]?.health === 'failed');
  await using _back = await startWebSocketServer([tool('echo')], { port });
  const client = await kit.client();
  const answer = client.callTool({ name: 'relay_reconnect_server', arguments: { name: 'ws' } });
  expect(textOf(await answer)).toBe("✅ Server 'ws' reconnected.\nValid Tools: 1\nHealth: healthy");
  expect(kit.gateway.status().servers[0]).not.toHaveProperty('error');
});

test('returns the status at once, while backends are still connecting', async () => {
  const never = { ready: new Promise<void>(() => undefined) };
  await using shared = await startWebSocketServer([], never);
  await using own = await startWebSocketServer([], never);
  await using kit = await GatewayKit.create();
  await kit.configure([
    { name: 'shared', url: shared.url },
    { name: 'own', url: own.url, scope: 'session' },
  ]);
  await kit.open({ startupMs: 600_000, limits: { connectMs: 600_000 } });
  const client = await kit.client();
  const { structuredContent } = await client.callTool({ name: 'relay_get_status', arguments: {} });
  expect(structuredContent).toMatchObject({
    servers: [
      { name: 'shared', health: 'connecting' },
      { name: 'own', health: 'connecting' },
    ],
  });
});
