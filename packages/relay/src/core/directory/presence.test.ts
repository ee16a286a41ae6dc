import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { IDLE_AFTER_MS, openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';

let core: TestCore;
let alice: Participant;
let bob: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  const workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
});

const who = async (params = {}) => (await bob.request('WHO', params)).agents.map(({ name }) => name);
const status = async (name: string) => {
  const { agents } = await core.owner(bob.principal.workspace).request('WHO', { includeOffline: true });
  return agents.find((agent) => agent.name === name);
};

describe('an agent', () => {
  it.each([-3_600_000, 3_600_000])('does not become idle when the clock is set by %i ms', async (ms) => {
    core.clock.set(ms);
    expect(await status('Alice')).toMatchObject({ status: 'active' });
    core.clock.advance(IDLE_AFTER_MS);
    expect(await status('Alice')).toMatchObject({ status: 'idle' });
  });

  it('is active while it is connected and does something, idle after a while, offline without a connection', async () => {
    const connectedAt = core.clock.now();
    expect(await status('Alice')).toMatchObject({ status: 'active', connectedAt });
    core.clock.advance(IDLE_AFTER_MS - 1);
    expect(await status('Alice')).toMatchObject({ status: 'active' });
    core.clock.advance(1);
    expect(await status('Alice')).toMatchObject({ status: 'idle', connectedAt, lastActivityAt: connectedAt });
    core.relay.presence.active(alice.principal.agent?.id ?? 0);
    expect(await status('Alice')).toMatchObject({ status: 'active', lastActivityAt: core.clock.now() });
    alice.disconnect();
    expect(await status('Alice')).toMatchObject({ status: 'offline' });
    expect(await status('Alice')).not.toHaveProperty('connectedAt');
  });

  it('is online until its last connection ends', async () => {
    const second = alice.again();
    alice.disconnect();
    expect(await status('Alice')).toMatchObject({ status: 'active' });
    second.disconnect();
    expect(await status('Alice')).toMatchObject({ status: 'offline' });
  });

  it('is not made offline by a connection that ends twice', async () => {
    const second = alice.again();
    second.disconnect();
    second.disconnect();
    expect(await status('Alice')).toMatchObject({ status: 'active' });
  });

  it('is connected since its latest reconnect', async () => {
    alice.disconnect();
    core.clock.advance(1000);
    alice.connect();
    expect(await status('Alice')).toMatchObject({ connectedAt: core.clock.now() });
  });
});

describe('who', () => {
  it('shows active and idle agents by default', async () => {
    core.clock.advance(IDLE_AFTER_MS);
    core.relay.presence.active(bob.principal.agent?.id ?? 0);
    const carol = await core.join(bob.principal.workspace, 'Carol');
    carol.disconnect();
    expect(await who()).toEqual(['Alice', 'Bob']);
    expect(await who({ include_idle: false })).toEqual(['Bob']);
    expect(await who({ includeOffline: true })).toEqual(['Alice', 'Bob', 'Carol']);
  });

  it('shows another project to a local user only', async () => {
    const elsewhere = await core.newWorkspace();
    await core.join(elsewhere, 'Zoe');
    expect(await who({ project: elsewhere.name })).toEqual(['Zoe']);
    await expect(who({ project: 'nowhere' })).rejects.toMatchObject({ code: 'ProjectNotFound' });
    const remote = Object.assign(bob.again(), {
      principal: { ...bob.principal, local: false, keyId: '12345678' },
    });
    // Whether there is such a project is not told either.
    for (const project of [elsewhere.name, 'nowhere']) {
      await expect(remote.request('WHO', { project })).rejects.toMatchObject({ code: 'Forbidden' });
    }
    expect((await remote.request('WHO', { project: remote.principal.workspace.name })).agents).toHaveLength(
      2,
    );
  });
});

describe('a watcher', () => {
  it('gets each online and offline event of its own project once', async () => {
    await bob.request('WATCH', {});
    const second = alice.again();
    second.disconnect();
    alice.disconnect();
    alice.connect();
    await core.join(bob.principal.workspace, 'Carol');
    await core.join(await core.newWorkspace(), 'Zoe');
    expect(bob.events).toEqual([
      { type: 'agent.offline', agent: 'Alice' },
      { type: 'agent.online', agent: 'Alice' },
      { type: 'agent.online', agent: 'Carol' },
    ]);
  });

  it('gets no events after it disconnected', async () => {
    await bob.request('WATCH', {});
    bob.disconnect();
    alice.disconnect();
    expect(bob.events).toEqual([]);
  });
});

describe("the daemon's count", () => {
  it('distinguishes connections from agents', async () => {
    const before = core.relay.presence.count();
    const second = alice.again();
    expect(core.relay.presence.count()).toEqual({ ...before, connections: before.connections + 1 });
    second.disconnect();
    alice.disconnect();
    expect(core.relay.presence.count()).toEqual({
      connections: before.connections - 1,
      agentsOnline: before.agentsOnline - 1,
    });
  });
});
