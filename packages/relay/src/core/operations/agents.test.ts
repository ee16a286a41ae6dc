import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GONE_AFTER_MS, openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let owner: Participant;
let alice: Participant;
let bob: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  owner = core.owner(workspace);
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
});

const names = async () =>
  (await owner.request('WHO', { includeOffline: true })).agents.map(({ name }) => name);
const contents = (participant: Participant) => participant.delivered.map(({ content }) => content);

describe('a request for one agent', () => {
  const asked = async (agent: string) =>
    (await alice.request('WHO', { agent })).agents.map(({ name }) => name);

  it('returns only that one, by its name in any case, while it is online', async () => {
    expect(await asked('bob')).toEqual(['Bob']);
    expect(await asked('Nobody')).toEqual([]);
    bob.disconnect();
    core.clock.advance(GONE_AFTER_MS);
    expect(await asked('Bob')).toEqual([]);
  });
});

describe('an agent that is renamed', () => {
  it('keeps its token, inbox, channels and messages', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await alice.send('Bob', 'From Alice.');
    await bob.send('Alice', 'To Alice.');
    expect(await owner.request('AGENT_RENAME', { agent: 'alice', name: 'Alina' })).toEqual({ name: 'Alina' });
    await bob.send('Alina', 'To Alina.');
    expect(contents(alice)).toEqual(['To Alice.', 'To Alina.']);
    expect((await bob.request('HISTORY', {})).messages).toMatchObject([
      { from: 'Alina', to: 'Bob' },
      { from: 'Bob', to: 'Alina' },
      { from: 'Bob', to: 'Alina' },
    ]);
    expect(await bob.request('CHANNEL_MEMBERS', { channel: 'build' })).toEqual({ members: ['Alina'] });
    await expect(bob.send('Alice', 'Gone?')).rejects.toMatchObject({
      code: 'AgentNotFound',
      details: { suggestions: ['Alina'] },
    });
    await core.restart();
    const back = await core.join(workspace, 'Alina', { token: alice.token });
    expect((await back.request('INBOX', {})).unread).toBe(2);
  });

  it('keeps its group conversations', async () => {
    await core.join(workspace, 'Carol');
    const { messageId } = await alice.send(['Bob', 'Carol'], 'Plan?');
    await owner.request('AGENT_RENAME', { agent: 'Carol', name: 'Caroline' });
    await bob.reply(messageId, 'Ship it.');
    expect(alice.delivered.at(-1)).toMatchObject({ group: ['Alice', 'Bob', 'Caroline'] });
    expect((await alice.request('CONVERSATIONS', {})).conversations).toMatchObject([
      { participants: ['Bob', 'Caroline'] },
    ]);
  });

  it('may change the case of its name', async () => {
    await owner.request('AGENT_RENAME', { agent: 'Alice', name: 'ALICE' });
    expect(await names()).toContain('ALICE');
  });

  it('frees its old name', async () => {
    await owner.request('AGENT_RENAME', { agent: 'Alice', name: 'Alina' });
    const next = await core.join(workspace, 'Alice');
    expect((await next.request('HISTORY', {})).messages).toEqual([]);
  });

  it.each([
    ['of another agent', 'bob', 'NameTaken'],
    ['that looks like another', 'B0b', 'LookAlikeName'],
    ['that is reserved', 'lead', 'ReservedName'],
    ['that is none', 'no good', 'InvalidName'],
  ])('does not get a name %s', async (_what, name, code) => {
    await expect(owner.request('AGENT_RENAME', { agent: 'Alice', name })).rejects.toMatchObject({ code });
    expect(await names()).toEqual(['Alice', 'Bob']);
  });

  it('is in the audit log and announced to watchers', async () => {
    await bob.request('WATCH', {});
    await owner.request('AGENT_RENAME', { agent: 'Alice', name: 'Alina' });
    expect(bob.events).toEqual([{ type: 'agent.renamed', agent: 'Alina', before: 'Alice' }]);
    expect((await owner.request('AUDIT', { limit: 1 })).entries).toMatchObject([
      { actor: 'owner', action: 'agent.renamed', subject: 'Alina', detail: { before: 'Alice' } },
    ]);
  });
});

describe('an agent that is removed', () => {
  it('loses its connections, name and token; its messages stay', async () => {
    const second = alice.again();
    await alice.send('Bob', 'Remember me.');
    await owner.request('AGENT_REMOVE', { agent: 'alice' });
    expect([alice.isRevoked, second.isRevoked, bob.isRevoked]).toEqual([true, true, false]);
    expect(await names()).toEqual(['Bob']);
    await expect(bob.send('Alice', 'Hello?')).rejects.toMatchObject({ code: 'AgentNotFound' });
    await expect(core.relay.agents.byToken(alice.token)).rejects.toMatchObject({ code: 'Unauthorized' });
    expect((await bob.request('HISTORY', {})).messages).toMatchObject([
      { from: 'Alice', content: 'Remember me.' },
    ]);
  });

  it('stays removed after a restart', async () => {
    await owner.request('AGENT_REMOVE', { agent: 'Alice' });
    await core.restart();
    expect(core.relay.agents.list(workspace).map(({ name }) => name)).toEqual(['Bob']);
  });

  it('gets no more messages: broadcast, group or channel', async () => {
    await owner.request('AGENT_REMOVE', { agent: 'Alice' });
    for (const to of ['*', '#general']) expect(await bob.send(to, 'All.')).toMatchObject({ recipients: 0 });
    expect(alice.delivered).toEqual([]);
  });

  it('frees its name for another agent, which is not removed later', async () => {
    const passing = await core.join(workspace, 'Passing', { ephemeral: true });
    await owner.request('AGENT_REMOVE', { agent: 'Passing' });
    const next = await core.join(workspace, 'Passing');
    core.clock.advance(2 * GONE_AFTER_MS);
    expect(await bob.send('Passing', 'Still there?')).toMatchObject({ recipients: 1 });
    expect([contents(passing), contents(next)]).toEqual([[], ['Still there?']]);
  });

  it('cannot finish connecting', async () => {
    const { agent } = await core.relay.agents.identify(workspace, 'Alice', { token: alice.token });
    expect(core.relay.agents.holdsToken(agent, alice.token)).toBe(true);
    await owner.request('AGENT_REMOVE', { agent: 'Alice' });
    expect(core.relay.agents.holdsToken(agent, alice.token)).toBe(false);
  });

  it('is in the audit log and announced to watchers', async () => {
    await bob.request('WATCH', {});
    await owner.request('AGENT_REMOVE', { agent: 'Alice' });
    expect(bob.events).toEqual([
      { type: 'agent.offline', agent: 'Alice' },
      { type: 'agent.removed', agent: 'Alice' },
    ]);
    expect((await owner.request('AUDIT', { limit: 1 })).entries).toMatchObject([
      { actor: 'owner', action: 'agent.removed', subject: 'Alice' },
    ]);
  });

  it('must exist', async () => {
    await expect(owner.request('AGENT_REMOVE', { agent: 'Alise' })).rejects.toMatchObject({
      code: 'AgentNotFound',
      details: { suggestions: ['Alice'] },
    });
  });
});
