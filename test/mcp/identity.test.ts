import { connect, personName } from '@agent-relay/sdk/node';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { callTool, connectClient, connectStdio, ERAS, type TestClient } from './kit/clients.ts';
import { httpTransport, openDoor, type TestDoor } from './kit/http-door.ts';

let daemon: TestDaemon;
let door: TestDoor;
beforeAll(async () => {
  daemon = await startDaemon();
  door = await openDoor(daemon);
});
afterAll(async () => {
  await door.close();
  await daemon[Symbol.asyncDispose]();
});

const agent = (name: string) => connect({ socketPath: daemon.socketPath, env: daemon.env, name });
const nameOf = async (client: TestClient) => (await callTool(client, 'relay_status')).data.agentName;
const errorOf = async (client: TestClient, args: Record<string, unknown>) =>
  (await callTool(client, 'register_agent', args)).data.error;

/** Over HTTP, a client that closes its connection has not ended its session. */
async function leave({ transport }: TestClient): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
}

describe('an idle session over HTTP', () => {
  const LINGER_MS = 300;
  const isOnline = async (name: string) => {
    await using owner = await connect({ socketPath: daemon.socketPath, env: daemon.env });
    return (await owner.who()).some((agent) => agent.name === name);
  };
  const open = (door: TestDoor, name: string, agent?: string) =>
    connectClient(httpTransport(door, { tools: 'workspace,relay', ...(agent ? { agent } : {}) }), { name });

  it('frees its name after a while, and gets another one when it continues', async () => {
    await using quick = await openDoor(daemon, { lingerMs: LINGER_MS });
    await using gone = await openSession(quick, 'silent-client');
    expect(await gone.name()).toBe('silent-client');
    await expect.poll(() => isOnline('silent-client')).toBe(false);
    await using heir = await open(quick, 'silent-client');
    expect(await nameOf(heir)).toBe('silent-client');
    expect(await gone.name()).toBe('silent-client-2');
  });

  it('stays connected while it has an open stream, and so does an agent with another session', async () => {
    await using quick = await openDoor(daemon, { lingerMs: LINGER_MS });
    await using streaming = await open(quick, 'streaming-client');
    await using named = await open(quick, 'any', 'Shared');
    expect([await nameOf(streaming), await nameOf(named)]).toEqual(['streaming-client', 'Shared']);
    await using other = await open(quick, 'any', 'Shared');
    await nameOf(other);
    await other.close();
    // By the time this one has gone, the others would have too.
    await using last = await openSession(quick, 'last-client');
    await last.name();
    await expect.poll(() => isOnline('last-client')).toBe(false);
    expect([await isOnline('streaming-client'), await isOnline('Shared')]).toEqual([true, true]);
  });
});

/** A session of a client that only posts, as simple ones do: nothing of it is open between two calls. */
async function openSession(door: TestDoor, client: string) {
  const url = `${door.url}?tools=relay`;
  const post = (body: object, session?: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(session ? { 'Mcp-Session-Id': session } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    });
  const clientInfo = { name: client, version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const opened = await post({ id: 1, method: 'initialize', params });
  await opened.text();
  const session = opened.headers.get('mcp-session-id') ?? '';
  return {
    async name(): Promise<string> {
      const call = { id: 2, method: 'tools/call', params: { name: 'relay_status', arguments: {} } };
      const [, name = ''] = /"agentName":"([^"]+)"/.exec(await (await post(call, session)).text()) ?? [];
      return name;
    },
    [Symbol.asyncDispose]: async () =>
      void (await fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } })),
  };
}

async function audited(action: string): Promise<unknown[]> {
  await using owner = await connect({ socketPath: daemon.socketPath, env: daemon.env });
  const { entries } = await owner.request('AUDIT', { limit: 1000 });
  return entries.filter((entry) => entry.action === action);
}

describe.each(ERAS)('a session over stdio without a name, revision %s', (era) => {
  const serve = (name: string, env: NodeJS.ProcessEnv = {}) => connectStdio(daemon, { era, name, env });
  const unique = (name: string) => `${name}-${era.slice(0, 4)}`;

  it('is named after its client, and finds its inbox again', async () => {
    const client = unique('Fancy Client');
    const name = client.replace(' ', '-').toLowerCase();
    {
      await using first = await serve(client);
      await using second = await serve(client);
      expect(await nameOf(first)).toBe(name);
      expect(await nameOf(second)).toBe(`${name}-2`);
    }
    await using alice = await agent('Alice');
    await alice.send(name, 'while you were away');
    await using again = await serve(client);
    expect(await nameOf(again)).toBe(name);
    expect((await callTool(again, 'relay_inbox')).texts.join()).toContain('while you were away');
  });

  it('does not take a name that another agent has', async () => {
    await (await agent(unique('taken'))).close();
    await using client = await serve(unique('taken'));
    expect(await nameOf(client)).toBe(`${unique('taken')}-2`);
  });

  it.each(['', 'mcp-test-client'])('has a temporary name if the client is %j', async (name) => {
    await using client = await serve(name);
    expect(await nameOf(client)).toMatch(/^mcp-\d+-[0-9a-f]{6}$/);
  });
});

describe.each([
  [
    'stdio',
    (name: string, env: NodeJS.ProcessEnv = {}) =>
      connectStdio(daemon, { name, env, args: ['serve', '--tools', 'workspace,relay'] }),
  ],
  ['HTTP', (name: string) => connectClient(httpTransport(door, { tools: 'workspace,relay' }), { name })],
] as const)('register_agent over %s', (transport, open) => {
  const unique = (name: string) => `${name}-${transport}`;

  it('refuses a name that another agent has, and does not read its mail', async () => {
    await using bob = await agent(unique('Bob'));
    await using alice = await agent('Alice');
    await alice.send(unique('Bob'), 'for Bob alone');
    const before = await audited('agent.held');
    await using client = await open('mallory');
    expect(await errorOf(client, { name: unique('Bob') })).toMatchObject({
      code: 'NameTaken',
      next: 'Choose another name.',
    });
    await bob.close();
    expect(await errorOf(client, { name: unique('Bob') })).toMatchObject({ code: 'NameTaken' });
    expect((await callTool(client, 'relay_inbox')).texts[0]).toBe('No messages in inbox.');
    expect(await nameOf(client)).toBe('mallory');
    expect(await audited('agent.held')).toEqual(before);
  });

  it('never registers a person', async () => {
    await using client = await open('mallory');
    expect(await errorOf(client, { name: 'anybody', type: 'human' })).toMatchObject({ code: 'Forbidden' });
    for (const name of [personName(), 'owner'])
      expect(await errorOf(client, { name })).toMatchObject({ code: 'ReservedName' });
  });

  it('gives a client a name that it had before, unless another session holds it', async () => {
    const name = unique('Planner');
    {
      await using client = await open('claude-code');
      expect((await callTool(client, 'register_agent', { name })).data).toMatchObject({ name });
      await using second = await open('claude-code');
      expect(await errorOf(second, { name })).toMatchObject({ code: 'NameInUse' });
      await leave(client);
    }
    await using other = await open('codex-mcp-client');
    expect(await errorOf(other, { name })).toMatchObject({ code: 'NameTaken' });
    await using again = await open('claude-code');
    await expect
      .poll(async () => (await callTool(again, 'register_agent', { name })).data)
      .toMatchObject({ name });
    expect(await nameOf(again)).toBe(name);
  });

  it('changes the profile of the agent', async () => {
    await using client = await open('changing-client');
    await callTool(client, 'register_agent', { name: unique('changing'), metadata: { task: 'one' } });
    await callTool(client, 'register_agent', { name: unique('changing'), metadata: { task: 'two' } });
    const { data } = await callTool(client, 'list_agents');
    expect(data.agents).toContainEqual(expect.objectContaining({ name: unique('changing'), task: 'two' }));
  });

  it('takes precedence over the first connection of the session', async () => {
    for (let round = 0; round < 10; round++) {
      const name = unique(`racer${round}x`);
      await using client = await open('racing-client');
      const [registered, status] = await Promise.all([
        callTool(client, 'register_agent', { name }),
        callTool(client, 'relay_status'),
      ]);
      expect(registered.data).toMatchObject({ name });
      expect([name, 'racing-client']).toContain(status.data.agentName);
      expect(await nameOf(client)).toBe(name);
    }
  });

  it('is in the audit trail', async () => {
    await using client = await open('tidy-client');
    await callTool(client, 'register_agent', { name: unique('audited') });
    expect(await audited('agent.registered')).toContainEqual(
      expect.objectContaining({ subject: unique('audited'), detail: { client: 'tidy-client' } }),
    );
    await (
      await connect({
        socketPath: daemon.socketPath,
        env: daemon.env,
        name: unique('audited'),
        client: { name: 'a-script', version: '1' },
      })
    ).close();
    expect(await audited('agent.held')).toContainEqual(
      expect.objectContaining({
        subject: unique('audited'),
        detail: { client: 'a-script', before: 'tidy-client' },
      }),
    );
  });
});
