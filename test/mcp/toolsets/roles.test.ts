import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { startDaemon } from '../../kit/daemon.ts';
import { callTool, connectClient, connectStdio, ERAS, MCP_PROGRAM, type TestClient } from '../kit/clients.ts';
import { openDoor, sseTransport } from '../kit/http-door.ts';

const post = (client: TestClient, from: string, to: string, kind: string, body: string) =>
  callTool(client, 'post_message', { from, to, kind, body });
const read = async (client: TestClient, role: string) =>
  (await callTool(client, 'read_messages', { for: role })).data.messages as Array<Record<string, unknown>>;

describe.each(ERAS)('role inboxes over stdio, revision %s', (era) => {
  it('delivers each message once, in order, with its kind', async () => {
    await using daemon = await startDaemon();
    await using client = await connectStdio(daemon, { era, args: ['serve', '--tools', 'roles'] });
    const { data } = await post(client, 'dev-a', 'pm', 'status', 'one');
    expect(data).toEqual({ id: expect.stringMatching(/^msg_/) });
    await post(client, 'dev-b', 'pm', 'question', 'two');
    await post(client, 'dev-a', 'pm', 'free', 'three');
    const pending = await callTool(client, 'list_pending', { for: 'pm' });
    expect(pending.data).toEqual({ count: 3, kinds: ['status', 'question', 'free'] });
    const messages = await read(client, 'pm');
    expect(messages.map(({ from, body }) => [from, body])).toEqual([
      ['dev-a', 'one'],
      ['dev-b', 'two'],
      ['dev-a', 'three'],
    ]);
    expect(messages[0]).toEqual({
      id: data.id,
      from: 'dev-a',
      to: 'pm',
      kind: 'status',
      body: 'one',
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(await read(client, 'pm')).toEqual([]);
    expect((await callTool(client, 'list_pending', { for: 'pm' })).data).toEqual({ count: 0, kinds: [] });
  });

  it('refuses an unknown role, and queues nothing', async () => {
    await using daemon = await startDaemon();
    await using client = await connectStdio(daemon, { era, args: ['serve', '--tools', 'roles'] });
    for (const [from, to] of [
      ['pm', 'dev-c'],
      ['boss', 'pm'],
    ] as const) {
      const refused = await post(client, from, to, 'free', 'x');
      expect(refused).toMatchObject({ isError: true, data: { error: { code: 'InvalidRequest' } } });
    }
    expect(await read(client, 'pm')).toEqual([]);
  });

  it('serves configured roles, and keeps messages across restarts', async () => {
    await using daemon = await startDaemon();
    const env = { RELAY_ROLES: 'lead-dev,tester' };
    await using client = await connectStdio(daemon, { era, env, args: ['serve', '--tools', 'roles'] });
    await post(client, 'lead-dev', 'tester', 'directive', 'test it');
    await daemon.kill9();
    await daemon.start();
    expect(await read(client, 'tester')).toMatchObject([{ body: 'test it', kind: 'directive' }]);
  });
});

it('marks the sender as unverified wherever its messages are read', async () => {
  await using daemon = await startDaemon();
  await using roles = await connectStdio(daemon, { args: ['serve', '--tools', 'roles'] });
  const { data } = await post(roles, 'dev-a', 'pm', 'status', 'Shipped.');
  const marked = { id: data.id, from: 'dev-a', unverified: true };
  for (const args of [['inbox', '--peek'], ['history'], ['search', 'shipped'], ['trace', `${data.id}`]]) {
    const as = args[0] === 'trace' ? [] : ['--as', 'pm'];
    expect((await daemon.cli([...args, ...as])).stdout).toContain('dev-a (unverified) → pm');
    expect((await daemon.cli([...args, ...as, '--json'])).stdout).toContain('"unverified":true');
  }
  await using tail = daemon.startCli(['tail', '--since-seq', '0']);
  await tail.until(/dev-a \(unverified\) → pm/);
  await using client = await connectStdio(daemon, { env: { RELAY_AGENT_NAME: 'pm' } });
  const inbox = await callTool(client, 'relay_inbox');
  expect(inbox.texts[0]).toContain('From dev-a (unverified):');
  expect(inbox.data.messages).toEqual([expect.objectContaining(marked)]);
  // What the same agent sends on a connection of its own is its word.
  await daemon.cli(['send', 'pm', 'Really.', '--as', 'dev-a']);
  const [own] = (await callTool(client, 'relay_inbox')).data.messages as object[];
  expect(own).not.toHaveProperty('unverified');
});

it('keeps messages whose reply could not be written', async () => {
  await using daemon = await startDaemon();
  const args = ['serve', '--tools', 'roles'];
  await using sender = await connectStdio(daemon, { args });
  await post(sender, 'dev-a', 'pm', 'status', 'not to be lost');
  const child = spawn(process.execPath, [MCP_PROGRAM, ...args], {
    env: daemon.env,
    cwd: daemon.projectDirectory,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const request = (id: number, method: string, params: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  const clientInfo = { name: 'vanishing', version: '1' };
  request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  await once(child.stdout, 'data');
  // Nobody reads the reply to this one.
  child.stdout.destroy();
  request(2, 'tools/call', { name: 'read_messages', arguments: { for: 'pm' } });
  await ended;
  expect(await read(sender, 'pm')).toMatchObject([{ body: 'not to be lost' }]);
});

it('serves role inboxes to several sessions over SSE, and delivers each message once', async () => {
  await using daemon = await startDaemon();
  await using door = await openDoor(daemon, {
    roles: ['pm', 'dev-a', 'dev-b'],
    defaultTools: ['roles'],
    paths: { sse: '/sse', messages: '/messages' },
  });
  const url = `http://127.0.0.1:${door.port}/sse`;
  await using pm = await connectClient(sseTransport(url));
  await using other = await connectClient(sseTransport(url));
  for (let i = 0; i < 20; i++) await post(other, 'dev-a', 'pm', 'status', String(i));
  const taken = await Promise.all([read(pm, 'pm'), read(other, 'pm'), read(pm, 'pm')]);
  expect(taken.flat().map(({ body }) => body)).toEqual(Array.from({ length: 20 }, (_, i) => String(i)));
  // The roles are agents like all others.
  await using observer = await connect({ socketPath: daemon.socketPath, env: daemon.env });
  expect((await observer.who()).map(({ name }) => name)).toEqual(expect.arrayContaining(['pm', 'dev-a']));
  const { messages } = await observer.history();
  expect(new Set(messages.map(({ unverified }) => unverified))).toEqual(new Set([true]));
});
