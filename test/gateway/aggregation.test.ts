import { expect, test } from 'vitest';
import { buildCatalog, type CatalogSource } from '../../packages/gateway/src/catalog/catalog.ts';
import { matchesTemplate } from '../../packages/gateway/src/catalog/names.ts';
import { toolProblem } from '../../packages/gateway/src/catalog/validate-tool.ts';
import { GatewayKit, scripted, textOf, tool } from './kit/gateway-kit.ts';
import { SDK_SERVER } from './kit/sdk-server.ts';

const source = (name: string, tools: unknown[], more: Partial<CatalogSource> = {}): CatalogSource => ({
  name,
  prefix: '',
  allow: [],
  deny: [],
  lists: { tools, prompts: [], resources: [], templates: [] },
  withheld: new Map(),
  ...more,
});
const namesOf = (...sources: CatalogSource[]) => [...buildCatalog(sources, []).tools.keys()];

test.each([
  [{ description: 'd', inputSchema: { type: 'object' } }, "Missing 'name' field"],
  [{ name: 'x', inputSchema: { type: 'object' } }, "Missing 'description' field"],
  [{ name: 'x', description: 'd' }, "Missing 'inputSchema' field"],
  [tool('x', { description: 5 }), "'description' must be a string"],
  [tool('x', { inputSchema: { type: 'string' } }), "'inputSchema' must have type 'object'"],
  [tool('x', { inputSchema: { type: 'object', properties: [] } }), "'properties' must be an object"],
  [tool('x', { inputSchema: { type: 'object', required: 'a' } }), "'required' must be a list of strings"],
  [
    tool('x', { inputSchema: { type: 'object', required: ['a'] } }),
    "Required field 'a' is not in 'properties'",
  ],
  [tool('x', { inputSchema: { type: 'object', required: ['a'], properties: { a: {} } } }), undefined],
  ['text', 'Not an object'],
])('a tool is checked on its own: %j', (candidate, problem) => {
  expect(toolProblem(candidate)).toBe(problem);
});

test('schema bombs, deep or wide, are refused', () => {
  let deep: object = { type: 'object' };
  for (let level = 0; level < 5000; level++) deep = { type: 'object', properties: { a: deep } };
  expect(toolProblem(tool('deep', { inputSchema: deep }))).toMatch(/Nested deeper/);
  expect(toolProblem(tool('wide', { description: 'x'.repeat(300_000) }))).toMatch(/Larger than/);
});

test('of two backends with the same tool the first in the configuration wins, the second is shown invalid', () => {
  const catalog = buildCatalog(
    [source('a', [tool('search')]), source('b', [tool('search'), tool('other')])],
    [],
  );
  expect(catalog.tools.get('search')?.backend).toBe('a');
  expect(catalog.reports.get('b')).toEqual({
    toolNames: ['other'],
    invalid: [{ name: 'search', reason: "Name conflict: 'search' is already provided by a" }],
    hidden: [],
  });
});

test('prefixes resolve conflicts; allow and deny choose tools by pattern', () => {
  expect(namesOf(source('a', [tool('search')]), source('b', [tool('search')], { prefix: 'b_' }))).toEqual([
    'search',
    'b_search',
  ]);
  const chosen = source('a', [tool('read_file'), tool('read_dir'), tool('write')], {
    allow: ['read_*'],
    deny: ['*_dir'],
  });
  expect(namesOf(chosen)).toEqual(['read_file']);
});

test('names fit in 64 plain characters, and two long ones stay two', () => {
  const long = 'x'.repeat(80);
  const names = namesOf(source('a', [tool(`${long}1`), tool(`${long}2`), tool('with.dots/and spaces')]));
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(names[2]).toBe('with_dots_and_spaces');
});

test('a template is matched without a regular expression of the backend’s making', () => {
  expect(matchesTemplate('file:///{path}', 'file:///a/b')).toBe(true);
  expect(matchesTemplate('x://{a}/y/{b}', 'x://1/y/2')).toBe(true);
  expect(matchesTemplate('x://{a}/y', 'x:///y')).toBe(false);
  const hostile = `${'{a}x'.repeat(2000)}`;
  expect(matchesTemplate(hostile, 'x'.repeat(5000))).toBe(true);
});

test('one invalid tool does not cost the backend its good ones, and a renamed tool is called by its own name', async () => {
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

test('a shared backend logs for the client that wants to hear most', async () => {
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

test('the first list has the tools of shared and own backends, whichever were there last', async () => {
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

test('unknown fields, large numbers and key order of arguments and results survive', async () => {
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

test('an unknown tool is a protocol error, a failure of the backend keeps its own code and data', async () => {
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
