import { expect, test } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { GatewayKit, scripted, textOf, tool } from './kit/gateway-kit.ts';
import { SDK_SERVER } from './kit/sdk-server.ts';

const initializations = async (kit: GatewayKit) =>
  (await kit.journal()).filter((line) => line.startsWith('initialize ')).length;

test('search mode: finds, describes and calls hundreds of tools with three', async () => {
  const many = Array.from({ length: 240 }, (_, index) =>
    tool(`filler_${index}`, { description: 'Nothing of interest '.repeat(8) }),
  );
  const weather = tool('getWeather', {
    description: 'Tells the forecast for a city',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  });
  await using kit = await GatewayKit.start([scripted('a', { tools: [...many, weather] })], {
    mode: 'search',
  });
  const client = await kit.client();
  const listed = (await client.listTools()).tools;
  expect(listed).toHaveLength(8);
  expect(JSON.stringify(listed).length).toBeLessThan(3000);

  const found = await client.callTool({
    name: 'relay_search_tools',
    arguments: { query: 'weather forecast' },
  });
  expect(found.structuredContent).toMatchObject({ tools: [{ name: 'getWeather', server: 'a' }] });
  const described = await client.callTool({ name: 'relay_describe_tool', arguments: { name: 'getWeather' } });
  expect(described.structuredContent).toMatchObject({ inputSchema: { required: ['city'] } });
  const called = await client.callTool({
    name: 'relay_call_tool',
    arguments: { name: 'getWeather', arguments: { city: 'Rome' } },
  });
  expect(textOf(called)).toBe('getWeather {"city":"Rome"}');
  expect((await client.callTool({ name: 'relay_call_tool', arguments: { name: 'nope' } })).isError).toBe(
    true,
  );
});

test('search mode: passes on arguments unchanged, and refuses invalid ones', async () => {
  await using kit = await GatewayKit.start([scripted('a', { tools: [tool('verbatim')] })], {
    mode: 'search',
  });
  const call = (args: string) => {
    const answered = Promise.withResolvers<Record<string, unknown>>();
    const answer = (bytes: Buffer) => answered.resolve(JSON.parse(bytes.toString()).result);
    const params = `{"name":"relay_call_tool","arguments":{"name":"verbatim","arguments":${args}}}`;
    kit.gateway
      .openSession({ send: () => undefined, answer })
      .receive(Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`));
    return answered.promise;
  };
  expect(textOf(await call('{"z":12345678901234567890,"a":1.0}'))).toContain(
    '"arguments":{"z":12345678901234567890,"a":1.0}',
  );
  expect(await call('"{}"')).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'InvalidRequest' } },
  });
});

test('search mode: finds one to fifty tools, whatever limit is requested', async () => {
  const tools = Array.from({ length: 60 }, (_, index) => tool(`find_${index}`));
  await using kit = await GatewayKit.start([scripted('a', { tools })], { mode: 'search' });
  const client = await kit.client();
  const count = async (limit?: number) => {
    const found = await client.callTool({ name: 'relay_search_tools', arguments: { query: 'find', limit } });
    return (found.structuredContent as { tools: unknown[] }).tools.length;
  };
  expect([await count(), await count(-1), await count(0), await count(20), await count(1000)]).toEqual([
    10, 1, 1, 20, 50,
  ]);
});

test('lists and calls remembered tools while backends still connect', async () => {
  await using kit = await GatewayKit.create();
  const stateDir = kit.path('state');
  const backend = scripted('slow', {
    tools: [tool('echo')],
    ignoresUnknown: true,
    journal: kit.path('journal'),
  });
  await kit.configure([backend]);
  await (await kit.open({ stateDir })).ready();
  await kit.gateway.close();

  await kit.open({ stateDir });
  const client = await kit.client();
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
  expect(kit.gateway.status().servers[0]).toMatchObject({ connected: false, health: 'connecting' });
  expect(textOf(await client.callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
  // The protocol era was remembered too: the probe that this server lets time out was sent once.
  expect((await kit.journal()).filter((line) => line === 'unknown server/discover')).toHaveLength(1);
});

test('starts a lazy backend at its first call, and stops an idle one until the next', async () => {
  await using kit = await GatewayKit.create();
  const stateDir = kit.path('state');
  await kit.configure([
    scripted('lazy', { tools: [tool('echo')], journal: kit.path('journal') }, { lazy: true, idleStop: 0.2 }),
  ]);
  await (await kit.open({ stateDir })).ready();
  expect(await initializations(kit)).toBe(1); // never seen before: its tools have to be learned
  await kit.gateway.close();

  await kit.open({ stateDir });
  const client = await kit.client();
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
  expect(await initializations(kit)).toBe(1);
  expect(textOf(await client.callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
  expect(await initializations(kit)).toBe(2);
  await eventually(() => kit.gateway.status().servers[0]?.connected === false);
  expect(textOf(await client.callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
  expect(await initializations(kit)).toBe(3);
});

test('keeps a backend running whose resources are watched', async () => {
  const sdk = { command: process.execPath, args: [SDK_SERVER, 'legacy'], prefix: true, idleStop: 0.3 };
  await using kit = await GatewayKit.start([
    { name: 'watched', ...sdk },
    scripted('other', { tools: [tool('echo')] }, { idleStop: 0.3 }),
  ]);
  const client = await kit.client();
  const isConnected = (name: string) =>
    kit.gateway.status().servers.find((server) => server.name === name)?.connected;
  await client.subscribeResource({ uri: 'note://one' });
  await client.callTool({ name: 'watched_count', arguments: {} });
  await client.callTool({ name: 'echo', arguments: {} });
  // Used last, and stopped: by now the other one would be.
  await eventually(() => isConnected('other') === false);
  expect(isConnected('watched')).toBe(true);
  await client.unsubscribeResource({ uri: 'note://one' });
  await eventually(() => isConnected('watched') === false);
  // Nobody hears of changes from one that is stopped.
  await client.subscribeResource({ uri: 'note://one' });
  await eventually(() => isConnected('watched') === true);
});

test('lets a program call a tool of a backend by name', async () => {
  await using kit = await GatewayKit.start([
    scripted('a', { tools: [tool('echo'), tool('hidden')] }, { deny: ['hidden'] }),
  ]);
  expect(await kit.gateway.callTool('a', 'echo', { q: 1 })).toMatchObject({
    content: [{ text: 'echo {"q":1}' }],
  });
  await expect(kit.gateway.callTool('b', 'echo', {})).rejects.toMatchObject({ code: 'BackendNotFound' });
  await expect(kit.gateway.callTool('a', 'hidden', {})).rejects.toMatchObject({ code: 'ToolNotFound' });
});
