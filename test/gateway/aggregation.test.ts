import { expect, test } from 'vitest';
import { GatewayKit, scripted, textOf, tool } from './kit/gateway-kit.ts';
import { SDK_SERVER } from './kit/sdk-server.ts';

test('lists valid tools beside an invalid one, and calls a renamed tool by its original name', async () => {
  await using kit = await GatewayKit.start([
    scripted('one', { tools: [tool('echo'), { name: 'bad_tool', description: 'no schema' }, tool('a.b')] }),
    scripted('two', { tools: [tool('echo')] }, { prefix: 'two_' }),
  ]);
  const client = await kit.client();
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name).filter((name) => !name.startsWith('relay_'));
  expect(names).toEqual(['echo', 'a_b', 'two_echo']);
  expect(textOf(await client.callTool({ name: 'a_b', arguments: { n: 1 } }))).toBe('a.b {"n":1}');
  expect(textOf(await client.callTool({ name: 'two_echo', arguments: {} }))).toBe('echo {}');
  const [one] = kit.gateway.status().servers;
  expect(one).toMatchObject({ health: 'degraded', tools: 2 });
  expect(one?.invalid_tools).toEqual([{ name: 'bad_tool', reason: "Missing 'inputSchema' field" }]);
});

test('sets a shared backend to the lowest log level that a client chose', async () => {
  const sdk = { command: process.execPath, args: [SDK_SERVER, 'legacy'] };
  await using kit = await GatewayKit.start([{ name: 'one', ...sdk }]);
  const [ann, bob] = [await kit.client(), await kit.client()];
  const heard = Promise.withResolvers<unknown>();
  ann.setNotificationHandler('notifications/message', ({ params }) => heard.resolve(params.data));
  await ann.setLoggingLevel('debug');
  await bob.setLoggingLevel('error');
  await ann.callTool({ name: 'log', arguments: {} });
  expect(await heard.promise).toBe('careful');
});

test('has the tools of shared and session backends in the first list', async () => {
  await using kit = await GatewayKit.create();
  await kit.configure([
    scripted('own', { tools: [tool('mine')] }, { scope: 'session' }),
    // It says nothing to what it does not know, which takes a while to find out.
    scripted('slow', { tools: [tool('shared')], ignoresUnknown: true }),
  ]);
  await kit.open({ management: false });
  const client = await kit.client();
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['mine', 'shared']);
});

test('preserves unknown fields, large numbers and key order of arguments and results', async () => {
  await using kit = await GatewayKit.start([scripted('one', { tools: [tool('echo')] })]);
  const sent: string[] = [];
  const session = kit.gateway.openSession({
    send: () => undefined,
    answer: (message) => sent.push(message.toString()),
  });
  const answered = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (sent.length > 0) resolve(clearInterval(timer));
    }, 5);
  });
  session.receive(
    Buffer.from(
      '{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo","arguments":{"z":12345678901234567890,"a":1.0}}}',
    ),
  );
  await answered;
  // The scripted server parses numbers itself; the order and the id are the gateway's care.
  expect(sent[0]).toBe(
    '{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"echo {\\"z\\":12345678901234567000,\\"a\\":1}"}]}}',
  );
});

test('returns a protocol error for an unknown tool, and keeps the code and data of backend errors', async () => {
  await using kit = await GatewayKit.start([scripted('one', { tools: [tool('fail')] })]);
  const client = await kit.client();
  await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('nope'),
  });
  await expect(client.callTool({ name: 'fail' })).rejects.toMatchObject({
    code: -32050,
    data: { why: 'scripted' },
  });
});
