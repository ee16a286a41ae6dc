import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { eventually } from '../kit/eventually.ts';
import { freePort } from '../kit/free-port.ts';
import { GatewayKit, progressOf, textOf } from './kit/gateway-kit.ts';
import { realServer } from './kit/real-servers.ts';

const everything = realServer('everything');
const running: Array<() => unknown> = [];
let kit: GatewayKit;

/** Starts the server over HTTP and waits until it says that it listens. */
async function overHttp(transport: string): Promise<number> {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.push(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) if (/listening|running/i.test(line)) break;
  child.stderr.resume();
  return port;
}

/** The stdio server behind a WebSocket: one line a frame. */
async function overWebSocket(): Promise<number> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  server.on('connection', (socket) => {
    const child = spawn(process.execPath, [everything, 'stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
    running.push(() => child.kill('SIGKILL'));
    createInterface({ input: child.stdout }).on('line', (line) => socket.send(line));
    socket.on('message', (data) => child.stdin.write(`${String(data)}\n`));
    socket.on('close', () => child.kill());
  });
  running.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  kit = await GatewayKit.create();
  const [http, sse, ws] = await Promise.all([overHttp('streamableHttp'), overHttp('sse'), overWebSocket()]);
  await kit.configure([
    { name: 'stdio', command: process.execPath, args: [everything, 'stdio'], prefix: true },
    { name: 'http', url: `http://127.0.0.1:${http}/mcp`, prefix: true },
    { name: 'sse', url: `http://127.0.0.1:${sse}/sse`, prefix: true },
    { name: 'ws', url: `ws://127.0.0.1:${ws}`, prefix: true },
    {
      name: 'files',
      command: process.execPath,
      args: [realServer('filesystem'), kit.directory],
      scope: 'session',
    },
    {
      name: 'memory',
      command: process.execPath,
      args: [realServer('memory')],
      env: { MEMORY_FILE_PATH: kit.path('memory.json') },
    },
  ]);
  await (await kit.open({ startupMs: 20_000 })).ready();
});
afterAll(async () => {
  await kit[Symbol.asyncDispose]();
  for (const stop of running) stop();
});

test.each(['stdio', 'http', 'sse', 'ws'])('server-everything over %s', async (transport) => {
  const client = await kit.client();
  expect(textOf(await client.callTool({ name: `${transport}_echo`, arguments: { message: 'hi' } }))).toBe(
    'Echo: hi',
  );
  expect(
    textOf(await client.callTool({ name: `${transport}_get-sum`, arguments: { a: 2, b: 3 } })),
  ).toContain('5');
  const long = {
    name: `${transport}_trigger-long-running-operation`,
    arguments: { duration: 0.2, steps: 3 },
  };
  expect(await progressOf(client, long)).toEqual([1, 2, 3]);
  const image = await client.callTool({ name: `${transport}_get-tiny-image`, arguments: {} });
  expect(image.content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }));
  const prompts = (await client.listPrompts()).prompts
    .map(({ name }) => name)
    .filter((name) => name.startsWith(`${transport}_`));
  expect(prompts.length).toBeGreaterThan(0);
});

test('server-filesystem, with the roots of the client that uses it', async () => {
  const client = await kit.client({ capabilities: { roots: {} } });
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file://${kit.directory}` }] }));
  await writeFile(kit.path('hello.txt'), 'from a file');
  await eventually(async () =>
    (await client.listTools()).tools.some(({ name }) => name === 'read_text_file'),
  );
  expect(
    textOf(await client.callTool({ name: 'read_text_file', arguments: { path: kit.path('hello.txt') } })),
  ).toBe('from a file');
  const outside = await client.callTool({ name: 'read_text_file', arguments: { path: '/etc/passwd' } });
  expect(outside.isError).toBe(true);
});

test('server-memory, shared by two clients', async () => {
  const [ann, bob] = [await kit.client(), await kit.client()];
  const entities = [{ name: 'relay', entityType: 'project', observations: ['routes calls'] }];
  await ann.callTool({ name: 'create_entities', arguments: { entities } });
  expect(textOf(await bob.callTool({ name: 'read_graph', arguments: {} }))).toContain('routes calls');
});

test('reports all of them as healthy', () => {
  expect(
    kit.gateway.status().servers.filter(({ health, name }) => health !== 'healthy' && name !== 'files'),
  ).toEqual([]);
});
