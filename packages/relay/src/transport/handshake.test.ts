import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { newAgentToken, tokenId } from '@agent-relay/platform/secrets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCore } from '../../../../test/kit/core.ts';
import { DOORS, type Served, serve } from '../../../../test/kit/served.ts';

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served[Symbol.asyncDispose]());

let count = 0;
const newName = () => `agent-${++count}x`;

it('HELLO on the socket of a project enters it, also after a rename', async () => {
  const { core } = served;
  await using heir = await serve({}, core);
  const { name: formerName } = served.workspace;
  await core.relay.workspaces.rename(core.owner(served.workspace).principal, served.workspace, 'renamed');
  await core.relay.workspaces.rename(core.owner(heir.workspace).principal, heir.workspace, formerName);
  const token = newAgentToken();
  const hello = { name: newName(), token };
  expect((await (await served.connect()).hello(hello)).project).toBe('renamed');
  expect((await (await served.connect()).hello({ ...hello, returning: true })).project).toBe('renamed');
});

it('HELLO with the wrong token for a name gets the id of the right one', async () => {
  const [name, token] = [newName(), newAgentToken()];
  await (await served.connect()).hello({ name, token });
  const client = await served.connect();
  await expect(client.hello({ name, token: newAgentToken() })).rejects.toMatchObject({
    code: 'NameTaken',
    details: { tokenId: tokenId(token) },
  });
});

it('HELLO in time succeeds, however slow the store is', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'relay-slow-'));
  const database = join(directory, 'relay.db');
  {
    await using core = await openCore({ database });
    await using slow = await serve({}, core);
    const [quick, client] = [await slow.join(newName()), await slow.connect()];
    using other = new DatabaseSync(database);
    other.exec('BEGIN IMMEDIATE');
    const welcomed = client.hello({ name: newName() });
    // Its HELLO was sent before this, so it has been read when this is answered.
    await quick.settled();
    core.clock.advance(10_000);
    other.exec('COMMIT');
    expect(await welcomed).toHaveProperty('agentToken');
  }
  rmSync(directory, { recursive: true });
});

describe.each(DOORS)('HELLO on a %s', (door) => {
  const credentials = () => (door === 'unix socket' ? {} : { workspaceKey: served.key });

  it('is answered by WELCOME, with a token for a new name', async () => {
    const client = await served.connect(door);
    const name = newName();
    expect(await client.hello({ name, ...credentials() })).toEqual({
      protocol: 1,
      daemon: { version: '0.0.0', startedAt: expect.any(Number) },
      project: served.workspace.name,
      agent: { name, type: 'agent', lead: false },
      agentToken: expect.stringMatching(/^at_[\w-]{43}$/),
      unread: 0,
      heartbeatMs: 15_000,
      maxFrameBytes: 1024 * 1024,
    });
  });

  it('does not repeat a token that the client sent', async () => {
    const token = newAgentToken();
    const name = newName();
    for (let i = 0; i < 2; i++) {
      const client = await served.connect(door);
      expect(await client.hello({ name, token, ...credentials() })).not.toHaveProperty('agentToken');
    }
  });

  it('with only a token connects its agent', async () => {
    const token = newAgentToken();
    const name = newName();
    await served.join(name, { token }, door);
    const client = await served.connect(door);
    expect(await client.hello({ token })).toMatchObject({ agent: { name } });
  });

  it('of a returning agent is accepted by its token, even if it was renamed and its old name is taken', async () => {
    const token = newAgentToken();
    const [before, name] = [newName(), newName()];
    await served.join(before, { token }, door);
    await served.core.owner(served.workspace).request('AGENT_RENAME', { agent: before, name });
    const returns = async (shown: object) =>
      (await served.connect(door)).hello({ name: before, returning: true, ...shown });
    expect(await returns({ token, ...credentials() })).toMatchObject({ agent: { name } });
    await served.join(before, {}, door);
    expect(await returns({ token, ...credentials() })).toMatchObject({ agent: { name } });
    expect(await returns({ token })).toMatchObject({ agent: { name } });
    await expect(returns({ token: newAgentToken(), ...credentials() })).rejects.toMatchObject({
      code: 'NameTaken',
    });
  });

  it('can mark its name as unverified: only messages of that connection are marked', async () => {
    const token = newAgentToken();
    const [name, to] = [newName(), newName()];
    const reader = await served.join(to, {}, door);
    const own = await served.join(name, { token }, door);
    const shared = await served.join(name, { token, unverified: true }, door);
    await shared.request('SEND', { to, content: 'said by somebody' }, 'first');
    await own.request('SEND', { to, content: 'said by the agent' }, 'second');
    const { messages } = await reader.request('INBOX', {});
    expect(messages[0]).toMatchObject({ from: name, unverified: true });
    expect(messages[1]).not.toHaveProperty('unverified');
  });

  it('with only an unknown token is refused', async () => {
    const client = await served.connect(door);
    await expect(client.hello({ token: newAgentToken() })).rejects.toMatchObject({ code: 'Unauthorized' });
    await client.closed;
  });

  it('for a name of another agent is refused, and the connection closed', async () => {
    const name = newName();
    await served.join(name, {}, door);
    for (const token of [undefined, newAgentToken()]) {
      const client = await served.connect(door);
      await expect(
        client.hello({ name, ...credentials(), ...(token ? { token } : {}) }),
      ).rejects.toMatchObject({ code: 'NameTaken' });
      await client.closed;
    }
  });

  it.each([
    ['a version nobody speaks', { protocol: { min: 2, max: 3 } }, 'VersionMismatch'],
    ['a wrong type of field', { name: 5 }, 'InvalidRequest'],
    ['a reserved name', { name: 'lead' }, 'ReservedName'],
    ['a name that is none', { name: 'a b' }, 'InvalidName'],
    ['a type nobody can claim', { name: 'Zed', type: 'system' }, 'InvalidRequest'],
  ])('with %s is refused and the connection closed', async (_what, hello, code) => {
    const client = await served.connect(door);
    await expect(client.hello({ ...credentials(), ...(hello as object) })).rejects.toMatchObject({ code });
    await client.closed;
  });

  it('may be followed by requests before its answer: they keep their order', async () => {
    const client = await served.connect(door);
    client.send('HELLO', { name: newName(), ...credentials() }, 'h');
    for (let i = 0; i < 20; i++) client.send('STATUS', {}, `s${i}`);
    await client.next('WELCOME');
    for (let i = 0; i < 20; i++) {
      expect((await client.next('ACK')).payload).toMatchObject({ id: `s${i}` });
    }
  });

  it('must come first: anything else is refused', async () => {
    const client = await served.connect(door);
    const id = client.send('STATUS');
    expect(await client.nextError(id)).toMatchObject({ code: 'HelloRequired' });
    await client.closed;
  });

  it('is accepted once', async () => {
    const client = await served.join(newName(), {}, door);
    const id = client.send('HELLO', {});
    expect(await client.nextError(id)).toMatchObject({ code: 'UnknownOperation' });
    await client.settled();
  });

  it('that is invalid ends the connection', async () => {
    const client = await served.connect(door);
    client.sendText('{"hello":"world"}');
    expect(await client.nextError()).toMatchObject({ code: 'MalformedFrame' });
    await client.closed;
  });

  it('of another envelope version is refused with that reason', async () => {
    const client = await served.connect(door);
    client.sendText('{"v":2,"type":"HELLO","id":"h","ts":0,"payload":{}}');
    expect(await client.nextError()).toMatchObject({ code: 'VersionMismatch' });
    await client.closed;
  });

  it('must come within five seconds', async () => {
    const slow = await served.connect(door);
    const quick = await served.join(newName(), {}, door);
    served.core.clock.advance(4999);
    await quick.settled();
    expect(slow.received).toEqual([]);
    served.core.clock.advance(1);
    expect(await slow.nextError()).toMatchObject({ code: 'HelloRequired' });
    await slow.closed;
    await quick.settled();
  });
});

describe('access', () => {
  it('by the local socket makes the user the owner of the workspace', async () => {
    const client = await served.connect();
    expect(await client.hello({})).not.toHaveProperty('agent');
    expect((await client.request('AUDIT', {})).entries.length).toBeGreaterThan(0);
  });

  it('by the local socket with the token of another workspace is refused', async () => {
    const elsewhere = await served.core.join(await served.core.newWorkspace(), 'Zoe');
    const client = await served.connect();
    await expect(client.hello({ token: elsewhere.token })).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  it('by the local socket with a key of another workspace is that of an observer there, not of an owner', async () => {
    const elsewhere = await served.core.newWorkspace();
    const { key, keyId } = await served.core.owner(elsewhere).request('KEY_CREATE', {});
    const client = await served.connect();
    expect(await client.hello({ workspaceKey: key })).toMatchObject({ project: elsewhere.name });
    await expect(client.request('AUDIT', {})).rejects.toMatchObject({ code: 'Forbidden' });
    const agent = await served.join(newName(), { workspaceKey: key });
    expect((await agent.request('WHO', {})).agents).toHaveLength(1);
    await served.core.owner(elsewhere).request('KEY_REVOKE', { keyId });
    await Promise.all([client.closed, agent.closed]);
    const again = await served.connect();
    await expect(again.hello({ workspaceKey: key })).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  it.each(DOORS)('by the %s with a key is that of an observer, not of an owner', async (door) => {
    const client = await served.connect(door);
    expect(await client.hello({ workspaceKey: served.key })).not.toHaveProperty('agent');
    expect((await client.request('WHO', {})).agents).toBeDefined();
    await expect(client.request('AUDIT', {})).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('by the WebSocket without key and token is refused', async () => {
    const client = await served.connect('WebSocket');
    await expect(client.hello({ name: newName() })).rejects.toMatchObject({ code: 'Unauthorized' });
    await client.closed;
  });

  it('with only a token is that of its agent, under no other name', async () => {
    const token = newAgentToken();
    await served.join(newName(), { token });
    const client = await served.connect('WebSocket');
    await expect(client.hello({ token, name: newName() })).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  it('with a key that is revoked during HELLO is refused', async () => {
    const owner = await served.connect();
    await owner.hello({});
    for (let i = 0; i < 20; i++) {
      const { key, keyId } = await owner.request('KEY_CREATE', {});
      const client = await served.connect('WebSocket');
      client.send('HELLO', { workspaceKey: key, name: newName() });
      await owner.request('KEY_REVOKE', { keyId });
      await client.closed;
    }
  });

  it('with a token that is replaced during HELLO is refused', async () => {
    const owner = await served.connect();
    await owner.hello({});
    const agent = newName();
    let token = newAgentToken();
    await served.join(agent, { token });
    for (let i = 0; i < 20; i++) {
      const client = await served.connect();
      client.send('HELLO', { name: agent, token, task: `task ${i}` });
      ({ token } = await owner.request('TOKEN_ROTATE', { agent }));
      await client.closed;
    }
  });
});

describe('an agent that resumes', () => {
  it('ignores a sequence number of another database', async () => {
    const token = newAgentToken();
    const name = newName();
    (await served.join(name, { token })).end();
    const sender = await served.join(newName());
    const before = await sender.request('SEND', { to: name, content: 'before' });
    const client = await served.connect();
    expect(await client.hello({ name, token, resumeAfter: 1_000_000 })).toMatchObject({ resumeAfter: 0 });
    const after = await sender.request('SEND', { to: name, content: 'after' });
    expect((await client.deliveries(2)).map(({ content }) => content)).toEqual(['before', 'after']);
    client.send('ACK', { upTo: 1_000_000 });
    await client.settled();
    const { deliveries } = await sender.request('TRACE', { id: after.messageId });
    expect(deliveries).toMatchObject([{ state: 'accepted' }]);
    const later = await sender.request('SEND', { to: name, content: 'later' });
    expect((await sender.request('TRACE', { id: later.messageId })).deliveries).toMatchObject([
      { state: 'stored' },
    ]);
    expect(before.seq).toBeLessThan(after.seq);
  });
});

describe('HELLO that claims more than the agent may', () => {
  it.each(DOORS)('is refused on a %s, and changes nothing', async (door) => {
    const token = newAgentToken();
    const name = newName();
    const credentials = door === 'unix socket' ? {} : { workspaceKey: served.key };
    await served.join(name, { token }, door);
    for (const [claimed, flag] of [
      [{ type: 'human' }, '--type human'],
      [{ lead: true }, '--lead'],
    ] as const) {
      const client = await served.connect(door);
      expect(await client.hello({ name, token, ...credentials, ...claimed })).toMatchObject({
        agent: { type: 'agent', lead: false },
        advice: expect.stringContaining(`agent-relay agent set ${name} ${flag}`),
      });
    }
  });

  it('registers a person or a lead on the local socket only', async () => {
    const claimed = { type: 'human', lead: true } as const;
    const [near, far] = [newName(), newName()];
    const local = await served.connect('unix socket');
    expect(await local.hello({ name: near, ...claimed })).toMatchObject({ agent: claimed });
    const remote = await served.connect('WebSocket');
    expect(await remote.hello({ name: far, workspaceKey: served.key, ...claimed })).toMatchObject({
      agent: { type: 'agent', lead: false },
    });
  });
});

it('gives a known name to one of two sessions that claim it at once', async () => {
  const [name, token] = [newName(), newAgentToken()];
  const claim = (session: string) => ({ name, token, claim: { client: 'claude', session } });
  const first = await served.connect();
  await first.hello(claim('s0'));
  await first.end();
  const clients = await Promise.all(['s1', 's2', 's3'].map(() => served.connect()));
  const outcomes = await Promise.allSettled(clients.map((client, index) => client.hello(claim(`s${index}`))));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject([{ reason: { code: 'NameInUse' } }, { reason: { code: 'NameInUse' } }]);
});
