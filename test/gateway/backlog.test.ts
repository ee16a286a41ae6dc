import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { GatewayKit, scripted, textOf, tool } from './kit/gateway-kit.ts';
import { startPlainHttpServer } from './kit/plain-http-server.ts';
import { processesIn } from './kit/processes.ts';
import { startWebSocketServer } from './kit/websocket-server.ts';

const MEGABYTE = 1024 * 1024;
const LIMITS = { limits: { maxBacklogBytes: 4 * MEGABYTE } };
const good = scripted('good', { tools: [tool('well')] });

/** Calls a tool of a megabyte each until one is refused; gives back what is still open. */
async function callUntilRefused(client: Client, name: string) {
  const open: Array<Promise<{ content?: unknown }>> = [];
  for (;;) {
    const call = client.callTool({ name, arguments: { n: open.length, text: 'x'.repeat(MEGABYTE) } });
    call.catch(() => undefined);
    // The gateway takes calls in their order: when it has answered this one, the call before is settled or waits.
    await client.callTool({ name: 'well', arguments: {} });
    const answered = await Promise.race([call, Promise.resolve('open' as const)]);
    if (answered !== 'open') return { open, refused: answered };
    open.push(call);
  }
}

const overloaded = (name: string) => ({
  isError: true,
  structuredContent: {
    error: {
      code: 'Overloaded',
      message: expect.stringContaining(`"${name}" is not reading its input`),
      next: expect.stringContaining('relay_reconnect_server'),
    },
  },
});

test('refuses calls beyond a limit to a program that does not read', async () => {
  await using kit = await GatewayKit.create();
  await kit.configure([good, scripted('stuck', { tools: [tool('echo')], journal: kit.path('journal') })]);
  await (await kit.open(LIMITS)).ready();
  const client = await kit.client();
  const [pid = 0] = processesIn(await kit.journal());
  process.kill(pid, 'SIGSTOP');
  const { open, refused } = await callUntilRefused(client, 'echo');
  process.kill(pid, 'SIGCONT');
  expect(refused).toMatchObject(overloaded('stuck'));
  expect(open.length).toBeGreaterThanOrEqual(3);
  // It reads again, and gets what was let through, all of it and nothing else.
  expect((await Promise.all(open)).map((result) => textOf(result).slice(0, 13))).toEqual(
    open.map((_, n) => `echo {"n":${n},"`.slice(0, 13)),
  );
  expect((await kit.journal()).filter((line) => line.startsWith('call'))).toHaveLength(open.length);
  expect(textOf(await client.callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
});

test('refuses calls beyond a limit to a socket that does not drain', async () => {
  await using server = await startWebSocketServer([tool('echo')]);
  await using kit = await GatewayKit.start([good, { name: 'socket', url: server.url }], LIMITS);
  const client = await kit.client();
  for (const socket of server.sockets) socket.pause();
  const { open, refused } = await callUntilRefused(client, 'echo');
  expect(refused).toMatchObject(overloaded('socket'));
  for (const socket of server.sockets) socket.resume();
  expect((await Promise.all(open)).every((result) => textOf(result).startsWith('echo'))).toBe(true);
});

test('refuses calls beyond a limit to an HTTP server that does not answer', async () => {
  await using server = await startPlainHttpServer((method) =>
    method === 'tools/list' ? { tools: [tool('sink')] } : method === 'tools/call' ? 'never' : undefined,
  );
  await using kit = await GatewayKit.start([good, { name: 'web', url: server.url }], LIMITS);
  const { open, refused } = await callUntilRefused(await kit.client(), 'sink');
  expect(refused).toMatchObject(overloaded('web'));
  expect(open).toHaveLength(3);
});
