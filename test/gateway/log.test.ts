import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { GatewayKit, scripted, textOf, tool } from './kit/gateway-kit.ts';

const one = scripted('one', { tools: [tool('echo'), tool('crash')] });
const flawed = scripted('flawed', { tools: [tool('fine'), { name: 'bad', description: 'No schema' }] });
const dead = { name: 'dead', url: 'ws://127.0.0.1:1' };

test('logs a summary of the start: the configuration, each server, and when it is ready', async () => {
  await using kit = await GatewayKit.start([one, flawed, dead]);
  await eventually(() => kit.logs.some((line) => line.endsWith('Ready.')));
  const [loaded, ...rest] = kit.logs;
  expect(loaded).toBe(`info Loaded 3 backends: one, flawed, dead`);
  expect(rest.at(-1)).toBe('info Connected to 2/3 backends, 3 tools. Ready.');
  expect(rest.slice(0, -1).sort()).toEqual([
    'info one: healthy (2 tools)',
    "warn Invalid tool from flawed: bad - Missing 'inputSchema' field",
    expect.stringMatching(/^warn dead: failed: .*ECONNREFUSED/),
    "warn flawed: degraded (1 tool): 1 invalid tool: bad - Missing 'inputSchema' field",
  ]);
  expect(kit.gateway.status().servers.map(({ name, health }) => `${name} ${health}`)).toEqual([
    'one healthy',
    'flawed degraded',
    'dead failed',
  ]);
});

test('logs a lasting failure once', async () => {
  await using kit = await GatewayKit.start([dead], { limits: { reconnectMs: 20 }, logLevel: 'debug' });
  const attempts = () => kit.logs.filter((line) => line.startsWith('debug dead: cannot connect: '));
  await eventually(() => attempts().length >= 5);
  expect(kit.logs.filter((line) => line.startsWith('warn dead: failed'))).toHaveLength(1);
});

test('logs a tool as invalid when another backend takes its name later', async () => {
  await using kit = await GatewayKit.start([one]);
  await kit.configure([scripted('first', { tools: [tool('echo')] }), one]);
  await kit.gateway.reload();
  await eventually(() =>
    kit.logs.includes(
      "warn Invalid tool from one: echo - Name conflict: 'echo' is already provided by first",
    ),
  );
  await eventually(() => kit.logs.some((line) => line.startsWith('warn one: degraded (1 tool): ')));
});

test('keeps text of a backend with line breaks on one line', async () => {
  const tools = [tool('bad', { inputSchema: { type: 'object', required: ['x\nINFO forged'] } })];
  await using kit = await GatewayKit.start([scripted('one', { tools })]);
  await eventually(() => kit.logs.some((line) => line.includes('forged')));
  expect(kit.logs.filter((line) => line.includes('\n'))).toEqual([]);
});

test('logs changes of the file: added, removed and changed backends, and the line of a mistake', async () => {
  await using kit = await GatewayKit.start([one, dead]);
  await kit.configure([one, flawed]);
  await eventually(() => kit.logs.includes('info Configuration reloaded: added flawed; removed dead'));
  await kit.configure([{ ...one, prefix: 'x_' }, flawed]);
  await eventually(() => kit.logs.includes('info Configuration reloaded: changed one'));
  await writeFile(kit.configFile, 'backends: [');
  await eventually(() =>
    kit.logs.some((line) => /^error Configuration not applied: .*backends\.yaml:\d+:\d+: /.test(line)),
  );
  await kit.configure([{ ...one, prefix: 'x_' }, flawed]);
  await eventually(() => kit.logs.includes('info The configuration is valid again.'));
});

test('logs the steps of each call under its id at debug', async () => {
  await using kit = await GatewayKit.start(
    [scripted('one', { tools: [tool('echo'), tool('crash')] }, { prefix: 'one_' })],
    {
      logLevel: 'debug',
    },
  );
  const client = await kit.client();
  await client.callTool({ name: 'one_echo', arguments: { secret: 'canary' } });
  await client.callTool({ name: 'one_crash' });
  const lines = kit.logs.filter((line) => /^debug call \d+: /.test(line));
  const id = /^debug call (\d+): tools\/call one_echo/.exec(
    lines.find((line) => line.includes('one_echo')) ?? '',
  )?.[1];
  const other = /^debug call (\d+): tools\/call one_crash/.exec(
    lines.find((line) => line.includes('one_crash')) ?? '',
  )?.[1];
  expect(other).not.toBe(id);
  const of = (call: string | undefined) => lines.filter((line) => line.startsWith(`debug call ${call}: `));
  expect(of(id)).toEqual([
    expect.stringMatching(/: tools\/call one_echo \(client request \d+\)$/),
    `debug call ${id}: sent to one as echo`,
    expect.stringMatching(/: answered in \d+ ms, \d+ bytes$/),
  ]);
  expect(of(other).at(-1)).toMatch(/: failed after \d+ ms: The backend "one" is not available: /);
  expect(kit.logs.join('\n')).not.toContain('canary');
});

test('logs no calls above debug, and only errors at error', async () => {
  await using kit = await GatewayKit.start([one]);
  await (await kit.client()).callTool({ name: 'echo', arguments: {} });
  expect(kit.logs.filter((line) => line.startsWith('debug'))).toEqual([]);
  await using quiet = await GatewayKit.start([one, dead], { logLevel: 'error' });
  expect(textOf(await (await quiet.client()).callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
  expect(quiet.logs).toEqual([]);
});
