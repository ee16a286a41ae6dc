import { newAgentToken } from '@agent-relay/platform/secrets';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GONE_AFTER_MS, openCore, type TestCore } from '../../../../../test/kit/core.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
});

const identify = (name: string, token?: string) =>
  core.relay.agents.identify(workspace, name, token === undefined ? {} : { token });
const names = () => core.relay.agents.list(workspace).map(({ name }) => name);
/** Ends when the database has done everything it was asked until now. */
const written = () =>
  core.relay.store.createWorkspace({ name: workspace.name, root: undefined, createdAt: 0 });

describe('a new name', () => {
  it('is issued a token, which is stored as a hash only', async () => {
    const { agent, issued = '' } = await identify('Alice');
    expect(issued).toMatch(/^at_[\w-]{43}$/);
    expect(JSON.stringify(await core.relay.store.findAgent(workspace.id, 'Alice'))).not.toContain(issued);
    expect((await identify('Alice', issued)).agent).toBe(agent);
  });

  it('may bring its own token, so that nothing needs to be issued', async () => {
    const token = newAgentToken();
    expect((await identify('Alice', token)).issued).toBeUndefined();
    expect((await identify('alice', token)).agent.name).toBe('Alice');
  });

  it('may not bring an invalid token', async () => {
    await expect(identify('Alice', 'secret')).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: { field: 'token' },
    });
    expect(names()).toEqual([]);
  });

  it.each([
    ['lead', 'ReservedName'],
    ['a b', 'InvalidName'],
    ['Аlice', 'LookAlikeName'],
    ['re1ay', 'LookAlikeName'],
  ])('%s is refused', async (name, code) => {
    await expect(identify(name)).rejects.toMatchObject({ code });
  });

  it('may not look like another name in the project, but may in another project', async () => {
    await identify('worker-1');
    await expect(identify('worker-l')).rejects.toMatchObject({
      code: 'LookAlikeName',
      message: expect.stringContaining('worker-1'),
    });
    const elsewhere = await core.newWorkspace();
    await core.join(elsewhere, 'worker-l');
  });

  it('may not look like one that is registered at the same time', async () => {
    const outcomes = await Promise.allSettled(['Alice', 'A1ice', 'AIice'].map((name) => identify(name)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(outcomes.slice(1)).toMatchObject([
      { reason: { code: 'LookAlikeName', message: expect.stringContaining('"Alice"') } },
      { reason: { code: 'LookAlikeName' } },
    ]);
    expect(names()).toEqual(['Alice']);
  });

  it('registered twice at once by the same holder is one agent', async () => {
    const token = newAgentToken();
    const [first, second] = await Promise.all([identify('Alice', token), identify('ALICE', token)]);
    expect(second.agent).toBe(first.agent);
    expect(names()).toHaveLength(1);
  });

  it('registered twice at once by two holders belongs to the first', async () => {
    const results = await Promise.allSettled([
      identify('Alice', newAgentToken()),
      identify('Alice', newAgentToken()),
    ]);
    expect(results).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'NameTaken' } }]);
  });

  it('is in the audit trail', async () => {
    await identify('Alice');
    expect(await core.relay.store.listAudit(workspace.id, 10)).toMatchObject([
      { actor: 'Alice', action: 'agent.registered', subject: 'Alice' },
    ]);
  });

  it('cannot be registered with the token of another agent', async () => {
    const { issued = '' } = await identify('Alice');
    await expect(identify('Bob', issued)).rejects.toMatchObject({
      code: 'Unauthorized',
      message: expect.stringContaining('Alice'),
    });
  });

  it.each(['owner', 'Petra', 'PETRA'])('is not %s, unless the owner registers a person', async (name) => {
    const { agents } = core.relay;
    for (const introduction of [{}, { byOwner: true }, { type: 'human' as const }])
      await expect(agents.identify(workspace, name, introduction)).rejects.toMatchObject({
        code: 'ReservedName',
      });
    const person = await agents.identify(workspace, name, { byOwner: true, type: 'human' });
    expect(person.agent).toMatchObject({ name, type: 'human' });
  });
});

describe('a known name', () => {
  it('is refused without its token', async () => {
    await identify('Alice');
    const { issued: token = '' } = await identify('Bob');
    for (const wrong of [undefined, newAgentToken(), token, 'at_', '']) {
      await expect(identify('Alice', wrong)).rejects.toMatchObject({ code: 'NameTaken' });
    }
  });

  it('keeps the profile of its agent until the agent changes it', async () => {
    const alice = await core.join(workspace, 'Alice', { cli: 'claude', task: 'review', capabilities: ['x'] });
    await core.join(workspace, 'Alice', { token: alice.token, task: 'test' });
    const [info] = (await alice.request('WHO', {})).agents;
    expect(info).toMatchObject({ cli: 'claude', task: 'test', capabilities: ['x'] });
    await core.restart();
    const owner = core.owner(workspace);
    expect((await owner.request('WHO', { includeOffline: true })).agents).toMatchObject([
      { name: 'Alice', cli: 'claude', task: 'test', capabilities: ['x'], status: 'offline' },
    ]);
  });

  it('announces capabilities and tools', async () => {
    const alice = await core.join(workspace, 'Alice');
    const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];
    await alice.request('ANNOUNCE', { kind: 'capability_announcement', capabilities: ['see'], tools });
    const [info] = (await alice.request('WHO', {})).agents;
    expect(info).toMatchObject({ capabilities: ['see'] });
    // Whoever wants to know the tools asks for them.
    expect(info).not.toHaveProperty('tools');
    expect(await alice.request('TOOLS', { agent: 'alice' })).toMatchObject({ tools });
    await core.restart();
    expect(await core.owner(workspace).request('TOOLS', { agent: 'Alice' })).toMatchObject({ tools });
  });
});

describe('a handle', () => {
  it('reaches the agent wherever its name does, with @ or without, also after a restart', async () => {
    const planner = await core.join(workspace, 'BuildPlanner', { handle: '@bp' });
    expect((await planner.request('WHO', {})).agents).toMatchObject([{ name: 'BuildPlanner', handle: 'bp' }]);
    await core.restart();
    const bob = await core.join(workspace, 'Bob');
    for (const to of ['@bp', 'BP', '@buildplanner', `${workspace.name}:@bp`, ['@bp', 'Bob']])
      await bob.send(to, `to ${to}`);
    const back = await core.join(workspace, '@bp', { token: planner.token });
    expect((await back.request('INBOX', { from: '@bob' })).messages).toHaveLength(5);
    expect((await bob.request('HISTORY', { agent: '@bp' })).messages).toHaveLength(5);
    const { messages } = await bob.request('HISTORY', { limit: 1 });
    expect(messages).toMatchObject([{ to: 'BuildPlanner' }]);
  });

  it('is mentioned like a name', async () => {
    await core.join(workspace, 'BuildPlanner', { handle: 'bp' });
    const bob = await core.join(workspace, 'Bob');
    await bob.send('#general', 'Please look, @bp.');
    const { messages } = await bob.request('HISTORY', { limit: 1 });
    expect(messages).toMatchObject([{ mentions: ['BuildPlanner'] }]);
  });

  it.each([
    ['Bob', 'NameTaken'],
    ['@B0B', 'LookAlikeName'],
    ['@rb', 'NameTaken'],
    ['@Petra', 'ReservedName'],
    ['@lead', 'ReservedName'],
    ['b p', 'InvalidName'],
  ])('may not be %s, and then nothing is registered', async (handle, code) => {
    await core.join(workspace, 'Bob', { handle: 'rb' });
    await expect(core.join(workspace, 'BuildPlanner', { handle })).rejects.toMatchObject({ code });
    expect(names()).toEqual(['Bob']);
  });

  it('cannot be registered as a name', async () => {
    await core.join(workspace, 'BuildPlanner', { handle: 'bp1' });
    await expect(identify('BP1')).rejects.toMatchObject({ code: 'NameTaken' });
    await expect(identify('bpl')).rejects.toMatchObject({
      code: 'LookAlikeName',
      message: expect.stringContaining('BuildPlanner'),
    });
  });

  it('can be set and changed later, and stays if it is omitted', async () => {
    const { token } = await core.join(workspace, 'Alice');
    for (const handle of ['al', 'ally']) await core.join(workspace, 'Alice', { token, handle });
    await core.join(workspace, 'Alice', { token });
    expect(core.relay.agents.find(workspace, '@ally')?.name).toBe('Alice');
    expect(core.relay.agents.find(workspace, 'al')).toBeUndefined();
    await core.join(workspace, 'al');
  });

  it('is dropped if it equals the name', async () => {
    const alice = await core.join(workspace, 'Alice', { handle: '@alice' });
    expect((await alice.request('WHO', {})).agents[0]).not.toHaveProperty('handle');
    await core.join(workspace, 'Alice', { token: alice.token, handle: 'al' });
    await core.owner(workspace).request('AGENT_RENAME', { agent: '@al', name: '@Al' });
    expect(core.relay.agents.find(workspace, 'al')).toMatchObject({ name: 'Al', handle: undefined });
  });
});

describe('what the owner decides', () => {
  const claimed = { type: 'human', lead: true } as const;

  it('counts when the owner registers the name, and only then', async () => {
    await core.join(workspace, 'First');
    const remote = await core.relay.agents.identify(workspace, 'Remote', claimed);
    expect(remote.agent).toMatchObject({ type: 'agent', lead: false });
    const token = remote.issued ?? '';
    const again = await core.relay.agents.identify(workspace, 'Remote', { ...claimed, token, byOwner: true });
    expect(again.agent).toMatchObject({ type: 'agent', lead: false });
    expect(core.relay.agents.lead(workspace).name).toBe('First');
  });

  it('does not change with a new name, handle or token', async () => {
    const { token } = await core.join(workspace, 'First');
    await core.join(workspace, 'Second');
    await core.join(workspace, 'First', { token, handle: 'one' });
    expect(core.relay.agents.lead(workspace).name).toBe('First');
    const owner = core.owner(workspace);
    await owner.request('TOKEN_ROTATE', { agent: 'First' });
    await owner.request('AGENT_RENAME', { agent: 'First', name: 'Eldest' });
    expect(core.relay.agents.lead(workspace).name).toBe('Eldest');
  });

  it('is changed with AGENT_SET, stays after a restart, and is in the audit trail', async () => {
    const owner = core.owner(workspace);
    await core.join(workspace, 'First');
    await core.join(workspace, 'Second');
    expect(await owner.request('AGENT_SET', { agent: 'second', lead: true })).toEqual({
      type: 'agent',
      lead: true,
      grants: [],
    });
    await core.restart();
    expect(core.relay.agents.lead(workspace).name).toBe('Second');
    expect((await core.relay.store.listAudit(workspace.id, 10))[0]).toMatchObject({
      actor: 'owner',
      action: 'agent.changed',
      subject: 'Second',
      detail: { lead: true },
    });
  });
});

describe('when an agent wants its messages', () => {
  const attentionOf = async (name: string) =>
    (await core.owner(workspace).request('WHO', {})).agents.find((agent) => agent.name === name)?.attention;

  it('is chosen by itself and by people, and stays after a restart', async () => {
    const alice = await core.join(workspace, 'Alice');
    const chosen = { agent: 'Alice', attention: 'end-of-turn' };
    expect(await alice.request('AGENT_ATTENTION', { attention: 'end-of-turn' })).toEqual(chosen);
    await core.restart();
    await core.join(workspace, 'Alice', { token: alice.token });
    expect(await attentionOf('Alice')).toBe('end-of-turn');
    const owner = core.owner(workspace);
    await owner.request('AGENT_ATTENTION', { agent: 'alice', attention: 'now' });
    expect(await attentionOf('Alice')).toBe('now');
    expect(await owner.request('AGENT_ATTENTION', { agent: 'Alice' })).toEqual({ agent: 'Alice' });
    expect(await attentionOf('Alice')).toBeUndefined();
  });

  it('is not chosen by other agents', async () => {
    await core.join(workspace, 'Alice');
    const bob = await core.join(workspace, 'Bob');
    const choosing = bob.request('AGENT_ATTENTION', { agent: 'Alice', attention: 'end-of-turn' });
    await expect(choosing).rejects.toMatchObject({ code: 'Forbidden' });
    const declared = bob.declared().request('AGENT_ATTENTION', { attention: 'now' });
    await expect(declared).rejects.toMatchObject({ code: 'Forbidden' });
  });
});

describe('a name that a client chose by itself', () => {
  const claim = (client: string, session: string) => ({ claim: { client, session } });

  it('belongs to the client that registered it, one session at a time', async () => {
    const first = await core.join(workspace, 'claude', { ...claim('claude', 's1'), token: newAgentToken() });
    const { token } = first;
    const come = (introduction: object) =>
      core.relay.agents.identify(workspace, 'claude', { token, ...introduction });
    await expect(come(claim('codex', 's2'))).rejects.toMatchObject({ code: 'NameTaken' });
    await expect(come(claim('claude', 's2'))).rejects.toMatchObject({ code: 'NameInUse' });
    await expect(come({ ...claim('claude', 's2'), returning: true })).rejects.toMatchObject({
      code: 'NameInUse',
    });
    expect((await come(claim('claude', 's1'))).agent.name).toBe('claude');
    first.disconnect();
    expect((await come(claim('claude', 's2'))).agent.name).toBe('claude');
  });

  it('is refused to a new session while the agent is connected, but not to one that returns', async () => {
    const { token } = await core.join(workspace, 'claude', claim('claude', 's1'));
    const come = (introduction: object) =>
      core.relay.agents.identify(workspace, 'claude', { token, ...introduction });
    await core.join(workspace, 'claude', { token });
    expect((await come({ ...claim('claude', 's1'), returning: true })).agent.name).toBe('claude');
    await expect(come(claim('claude', 's2'))).rejects.toMatchObject({ code: 'NameInUse' });
  });
});

describe('a token alone', () => {
  it('finds its agent', async () => {
    const { agent, issued = '' } = await identify('Alice');
    expect(await core.relay.agents.byToken(issued)).toBe(agent);
  });

  it.each([newAgentToken(), 'at_', 'Alice', ''])('%s finds nobody', async (token) => {
    await expect(core.relay.agents.byToken(token)).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  it('is invalid once it was replaced', async () => {
    const alice = await core.join(workspace, 'Alice');
    const { token } = await core.owner(workspace).request('TOKEN_ROTATE', { agent: 'Alice' });
    expect(alice.isRevoked).toBe(true);
    await expect(identify('Alice', alice.token)).rejects.toMatchObject({ code: 'NameTaken' });
    await expect(core.relay.agents.byToken(alice.token)).rejects.toMatchObject({ code: 'Unauthorized' });
    expect((await identify('Alice', token)).agent.name).toBe('Alice');
  });
});

describe('the lead', () => {
  const lead = () => core.relay.agents.lead(workspace).name;

  it('is the agent marked as lead', async () => {
    await core.join(workspace, 'First');
    await core.join(workspace, 'Second', { lead: true });
    expect(lead()).toBe('Second');
  });

  it('is the first of several marked as lead', async () => {
    await core.join(workspace, 'First');
    await core.join(workspace, 'Second', { lead: true });
    await core.join(workspace, 'Third', { lead: true });
    expect(lead()).toBe('Second');
  });

  it('is otherwise the first permanent agent of the project', async () => {
    await core.join(workspace, 'Passing', { ephemeral: true });
    await core.join(workspace, 'First');
    await core.join(workspace, 'Second');
    expect(lead()).toBe('First');
  });

  it('stays the same after a restart, and can be written to as lead', async () => {
    await core.join(workspace, 'First');
    const second = await core.join(workspace, 'Second', { lead: true });
    await core.restart();
    expect(lead()).toBe('Second');
    const first = await core.join(workspace, 'Other');
    await first.send('lead', 'Who leads?');
    const back = await core.join(workspace, 'Second', { token: second.token });
    expect((await back.request('INBOX', {})).messages).toMatchObject([{ to: 'Second' }]);
  });

  it('does not exist in a project without agents', () => {
    expect(lead).toThrow(expect.objectContaining({ code: 'AgentNotFound' }));
  });
});

describe('an ephemeral agent', () => {
  it('is removed when it stays away, and its name is free again', async () => {
    const alice = await core.join(workspace, 'Alice', { ephemeral: true });
    alice.disconnect();
    core.clock.advance(GONE_AFTER_MS - 1);
    expect(names()).toEqual(['Alice']);
    core.clock.advance(1);
    await written();
    expect(names()).toEqual([]);
    expect(await core.relay.store.listAgents(workspace.id)).toEqual([]);
    const next = await core.join(workspace, 'Alice');
    expect(next.token).not.toBe(alice.token);
  });

  it('is not removed if it reconnects in time', async () => {
    const alice = await core.join(workspace, 'Alice', { ephemeral: true });
    alice.disconnect();
    core.clock.advance(GONE_AFTER_MS - 1);
    const back = alice.again();
    core.clock.advance(10 * GONE_AFTER_MS);
    expect(names()).toEqual(['Alice']);
    back.disconnect();
    core.clock.advance(GONE_AFTER_MS);
    expect(names()).toEqual([]);
  });

  it('is removed after a restart unless it reconnects', async () => {
    const alice = await core.join(workspace, 'Alice', { ephemeral: true });
    await core.join(workspace, 'Bob', { ephemeral: true });
    await core.restart();
    await core.join(workspace, 'Alice', { token: alice.token });
    core.clock.advance(GONE_AFTER_MS);
    expect(names()).toEqual(['Alice']);
  });

  it('is removed if its connection broke during registration', async () => {
    await core.relay.agents.identify(workspace, 'Alice', { ephemeral: true });
    core.clock.advance(GONE_AFTER_MS);
    expect(names()).toEqual([]);
  });

  it('cannot reconnect while it is being removed', async () => {
    const alice = await core.join(workspace, 'Alice', { ephemeral: true });
    alice.disconnect();
    core.clock.advance(GONE_AFTER_MS);
    // The removal is on its way to the disk.
    const next = await core.join(workspace, 'Alice', { token: alice.token });
    const bob = await core.join(workspace, 'Bob');
    await bob.send('Alice', 'Are you there?');
    expect(next.delivered).toHaveLength(1);
    expect(next.principal.agent?.id).not.toBe(alice.principal.agent?.id);
  });

  it('leaves its messages behind', async () => {
    const alice = await core.join(workspace, 'Alice', { ephemeral: true });
    const bob = await core.join(workspace, 'Bob');
    await alice.send('Bob', 'Remember me.');
    alice.disconnect();
    core.clock.advance(GONE_AFTER_MS);
    await written();
    expect((await bob.request('INBOX', {})).messages).toMatchObject([{ from: 'Alice' }]);
    await expect(bob.send('Alice', 'Gone?')).rejects.toMatchObject({ code: 'AgentNotFound' });
  });
});

describe('a permanent agent', () => {
  it('is remembered with the time it was last active', async () => {
    const alice = await core.join(workspace, 'Alice');
    core.clock.advance(5000);
    core.relay.presence.active(alice.principal.agent?.id ?? 0);
    const lastActivityAt = core.clock.now();
    core.clock.advance(5000);
    alice.disconnect();
    core.clock.advance(GONE_AFTER_MS);
    await written();
    await core.restart();
    const [info] = (await core.owner(workspace).request('WHO', { includeOffline: true })).agents;
    expect(info).toMatchObject({ name: 'Alice', status: 'offline', lastActivityAt });
  });
});

describe('an agent that is being removed', () => {
  /** Does something while the agent is on its way out; what the store says of it may be from before. */
  const whileRemoved = async (meanwhile: (agent: Agent, token: string) => Promise<unknown>) => {
    for (let i = 0; i < 20; i++) {
      const { agent, issued = '' } = await identify('Alice');
      await Promise.all([meanwhile(agent, issued), core.relay.agents.remove(agent)]);
      expect(names()).toEqual([]);
      expect(core.relay.agents.byId(agent.id)).toBeUndefined();
    }
  };

  it('cannot connect with its token', () =>
    whileRemoved((_, token) => expect(core.relay.agents.byToken(token)).rejects.toThrow(/not valid/)));

  const renamed = ({ workspaceId, name }: Agent) => ({
    workspaceId,
    at: 0,
    actor: 'owner',
    action: 'agent.renamed',
    subject: 'Alicia',
    detail: { before: name },
  });
  it('cannot connect with a new name', () =>
    whileRemoved((agent) =>
      expect(core.relay.agents.rename(agent, 'Alicia', renamed(agent))).rejects.toThrow(/removed/),
    ));

  it('is not loaded again with the project', () => whileRemoved(() => core.relay.reload(workspace)));
});
