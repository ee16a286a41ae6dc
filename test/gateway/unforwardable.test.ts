import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { serveGatewayStdio } from '@agent-relay/gateway';
import { expect, test } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { GatewayKit, scripted, textOf, tool } from './kit/gateway-kit.ts';
import { startWebSocketServer } from './kit/websocket-server.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const deepAnswer = (levels: number, id = 'ID') =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"deep":${nested(levels)}}}}`;
const say = { tools: [tool('say'), tool('echo')] };
const says = (...lines: string[]) => ({ name: 'say', arguments: { lines, answers: true } });
const refused = (reason: string) => ({
  isError: true,
  structuredContent: { error: { code: 'ResultTooLarge', message: expect.stringContaining(reason) } },
});

test.each([600, 100_000])('refuses an answer nested %i levels deep at once', async (levels) => {
  await using kit = await GatewayKit.start([scripted('one', say)]);
  const client = await kit.client();
  const result = await client.callTool(says(deepAnswer(levels)));
  expect(result).toMatchObject(refused('nested deeper than 512 levels'));
  expect(textOf(await client.callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
});

test.each([
  ['JSON', 600],
  ['JSON', 100_000],
  ['a stream', 600],
  ['a stream', 100_000],
] as const)(
  'refuses an answer over HTTP, as %s, %i levels deep, and keeps the server',
  async (form, levels) => {
    await using server = await startDeepHttpServer(form, levels);
    await using kit = await GatewayKit.start([{ name: 'web', url: server.url }]);
    const client = await kit.client();
    expect(await client.callTool({ name: 'deep' })).toMatchObject(refused(''));
    expect(textOf(await client.callTool({ name: 'echo' }))).toBe('fine');
  },
);

test('refuses an answer with a duplicate key at once, and ignores one with two ids', async () => {
  await using kit = await GatewayKit.start([scripted('one', say)]);
  const client = await kit.client();
  const twice = '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"result":{}}';
  expect(await client.callTool(says(twice))).toMatchObject(refused('a duplicate key'));
  const twoIds = '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"id":99}';
  const answer = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"mine"}]}}';
  expect(textOf(await client.callTool(says(twoIds, answer)))).toBe('mine');
});

test('answers a backend request that cannot be passed on with an error, and drops such a notification', async () => {
  await using kit = await GatewayKit.create();
  const script = { ...say, journal: kit.path('journal') };
  await kit.configure([scripted('one', script, { scope: 'session' })]);
  await (await kit.open()).ready();
  const client = await kit.client({ capabilities: { sampling: {} } });
  const heard: unknown[] = [];
  client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(params.data));
  const params = `{"level":"error","data":${nested(600)}}`;
  const lines = [
    `{"jsonrpc":"2.0","id":"q1","method":"sampling/createMessage","params":${params}}`,
    `{"jsonrpc":"2.0","method":"notifications/message","params":${params}}`,
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"after"}}',
  ];
  await client.callTool({ name: 'say', arguments: { lines } });
  await eventually(() => heard.length > 0);
  expect(heard).toEqual(['after']);
  await eventually(async () =>
    (await kit.journal()).some((line) => /^answer "q1" .*-32600.*512 levels/.test(line)),
  );
});

test('drops only the list of a backend that cannot be passed on', async () => {
  let deep: object = {};
  for (let level = 0; level < 600; level++) deep = { a: deep };
  await using kit = await GatewayKit.start([
    scripted('one', { tools: [tool('echo')], resources: [deep], capabilities: { tools: {}, resources: {} } }),
  ]);
  expect(kit.gateway.status().servers).toMatchObject([
    { health: 'degraded', tool_names: ['echo'], error: expect.stringContaining('512 levels') },
  ]);
});

test('refuses requests and answers of a client that are nested too deep', async () => {
  await using kit = await GatewayKit.create();
  const script = { ...say, journal: kit.path('journal') };
  await kit.configure([scripted('one', script, { scope: 'session' })]);
  await (await kit.open()).ready();
  await using client = rawClient(kit);
  client.send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } });
  await client.next();
  client.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"arguments":${nested(600)}}}`);
  expect(await client.next()).toMatchObject({
    id: 2,
    error: { code: -32600, message: expect.stringContaining('512 levels') },
  });
  const question = '{"jsonrpc":"2.0","id":"q2","method":"roots/list"}';
  client.send({ id: 3, method: 'tools/call', params: says(question) });
  const { id } = await client.next();
  client.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${nested(600)}}`);
  await eventually(async () => (await kit.journal()).some((line) => /^answer "q2" .*refused/.test(line)));
});

test('treats a message with line breaks as one message', async () => {
  await using server = await startWebSocketServer([tool('echo')]);
  await using kit = await GatewayKit.start([{ name: 'socket', url: server.url }, scripted('lines', say)]);
  await using client = rawClient(kit);
  client.send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } });
  await client.next();
  const forged = '{"jsonrpc":"2.0","id":7,"result":{}}';
  for (const end of ['\n', '\r', '\r\n']) {
    for (const socket of server.sockets) {
      socket.send(
        `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":{no json${end}${forged}${end}}}}`,
      );
      socket.send(
        `{"jsonrpc":"2.0",${end}"method":"notifications/message","params":${end}{"level":"error","data":12345678901234567890}}`,
      );
    }
    // Both are one line each; of the first a client makes nothing.
    expect(await client.nextLine()).toContain('{no json');
    expect(await client.nextLine()).toMatch(/^[^\r\n]*12345678901234567890[^\r\n]*$/);
  }
  client.send({ id: 2, method: 'tools/call', params: { name: 'echo', arguments: {} } });
  expect(await client.next()).toMatchObject({ id: 2, result: {} });
  client.send({ id: 3, method: 'tools/call', params: says('{"jsonrpc":"2.0","id":ID,"error":{no json}}') });
  expect(await client.next()).toMatchObject({ id: 3, error: { code: -32603 } });
});

/** A client that sees every line as it comes, but those that tell of a changed list. */
function rawClient(kit: GatewayKit) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveGatewayStdio(kit.gateway, { input, output });
  // By any line end that a reader might know.
  const lines = (async function* () {
    let rest = '';
    for await (const chunk of output) {
      const parts = (rest + String(chunk)).split(/[\r\n]/);
      rest = parts.pop() ?? '';
      yield* parts.filter((part) => part !== '' && !part.includes('list_changed'));
    }
  })();
  const write = (text: string) => void input.write(`${text}\n`);
  const nextLine = async (): Promise<string> => (await lines.next()).value ?? '';
  return {
    write,
    send: (message: object) => write(JSON.stringify({ jsonrpc: '2.0', ...message })),
    nextLine,
    next: async (): Promise<Record<string, unknown>> => JSON.parse(await nextLine()),
    async [Symbol.asyncDispose]() {
      input.end();
      await served;
    },
  };
}

/** A server over HTTP with a tool whose result is that deep; its streams stay open. */
async function startDeepHttpServer(form: 'JSON' | 'a stream', levels: number) {
  const results: Record<string, string> = {
    initialize: JSON.stringify({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'deep', version: '1' },
    }),
    'tools/list': JSON.stringify({ tools: [tool('deep'), tool('echo')] }),
    deep: `{"content":[],"structuredContent":{"deep":${nested(levels)}}}`,
    echo: '{"content":[{"type":"text","text":"fine"}]}',
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const result = results[method === 'tools/call' ? params.name : method];
    const body = result ? `"result":${result}` : '"error":{"code":-32601,"message":"no"}';
    const message = `{"jsonrpc":"2.0","id":${id},${body}}`;
    if (form === 'JSON') response.writeHead(200, { 'content-type': 'application/json' }).end(message);
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${message}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
