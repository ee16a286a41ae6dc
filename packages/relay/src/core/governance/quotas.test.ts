import { createHash, randomBytes } from 'node:crypto';
import type { OperationParams } from '@agent-relay/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, QUOTAS, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { keyAccount } from './accounts.ts';

const LIMITS = {
  ...QUOTAS,
  profileBytes: 1024,
  toolBytes: 1024,
  tools: 4,
  toolsBytes: 3000,
  agentsPerKey: 5,
  localAgents: 8,
  channels: 3,
  attachments: 3,
  attachmentBytes: 1000,
  reactions: 2,
  messageReactions: 3,
  awaits: 3,
};

let core: TestCore;
let workspace: Workspace;
let alice: Participant;
let bob: Participant;
beforeAll(async () => {
  core = await openCore({ quotas: LIMITS });
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
});

/** The error names the limit and the setting that says it. */
const reached = (setting: keyof typeof LIMITS) => ({
  code: 'LimitReached',
  details: { limit: LIMITS[setting], setting: `quotas.${setting}` },
  next: expect.stringContaining(`"quotas.${setting}" in settings.json`),
});
const tool = (name: string, size = 100) => ({ name, description: 'x'.repeat(size), inputSchema: {} });
const outcomes = async (work: Array<Promise<unknown>>) =>
  (await Promise.allSettled(work)).map(({ status }) => status);
const fulfilled = (all: string[]) => all.filter((status) => status === 'fulfilled').length;

describe('the profile of an agent', () => {
  it('is limited when it registers, returns and announces', async () => {
    const capabilities = Array.from({ length: 20 }, (_, i) => `c${i}`.padEnd(64, 'x'));
    await expect(core.join(workspace, 'Carol', { capabilities })).rejects.toMatchObject(
      reached('profileBytes'),
    );
    expect((await alice.request('WHO', {})).agents.map(({ name }) => name)).toEqual(['Alice', 'Bob']);
    await expect(core.join(workspace, 'Alice', { token: alice.token, capabilities })).rejects.toMatchObject(
      reached('profileBytes'),
    );
    const announced = { kind: 'capability_announcement' as const, capabilities, tools: [] };
    await expect(alice.request('ANNOUNCE', announced)).rejects.toMatchObject(reached('profileBytes'));
  });

  it('may exceed a limit that was introduced later', async () => {
    const task = 'x'.repeat(2000);
    await core.relay.store.updateAgent(core.relay.agents.get(workspace, 'Alice').id, { task });
    await core.restart();
    alice = await core.join(workspace, 'Alice', { token: alice.token });
    await core.join(workspace, 'Alice', { token: alice.token, task: 'shorter' });
  });
});

describe('the tools of an agent', () => {
  it.each([
    ['toolBytes', [tool('a', 1000)]],
    ['tools', Array.from({ length: 5 }, (_, i) => tool(`t${i}`))],
    ['toolsBytes', Array.from({ length: 4 }, (_, i) => tool(`t${i}`, 800))],
  ] as const)('are limited: %s', async (setting, offered) => {
    const tools = [...offered];
    await expect(core.join(workspace, 'Carol', { tools })).rejects.toMatchObject(reached(setting));
    expect(core.relay.agents.find(workspace, 'Carol')).toBeUndefined();
    await expect(core.join(workspace, 'Alice', { token: alice.token, tools })).rejects.toMatchObject(
      reached(setting),
    );
    const announced = { kind: 'capability_announcement' as const, capabilities: ['new'], tools };
    await expect(alice.request('ANNOUNCE', announced)).rejects.toMatchObject(reached(setting));
    expect((await alice.request('WHO', {})).agents[0]).toMatchObject({ capabilities: [] });
    expect(await alice.request('TOOLS', { agent: 'Alice' })).toEqual({ tools: [] });
  });
});

describe('registered names', () => {
  it('are limited per key, also concurrently, without affecting others', async () => {
    const names = Array.from({ length: 9 }, (_, i) => core.joinFromAfar(workspace, `remote${i}`));
    expect(fulfilled(await outcomes(names))).toBe(5);
    await expect(core.joinFromAfar(workspace, 'another')).rejects.toMatchObject(reached('agentsPerKey'));
    await core.joinFromAfar(workspace, 'friend', { account: keyAccount('abcdefgh') });
    await core.join(workspace, 'Carol');
  });

  it('are counted after a restart, and not after they are removed', async () => {
    for (let i = 0; i < 5; i++) await core.joinFromAfar(workspace, `remote${i}`);
    await core.restart();
    await expect(core.joinFromAfar(workspace, 'another')).rejects.toMatchObject(reached('agentsPerKey'));
    await core.owner(workspace).request('AGENT_RENAME', { agent: 'remote1', name: 'renamed' });
    await core.owner(workspace).request('AGENT_REMOVE', { agent: 'remote0' });
    await core.joinFromAfar(workspace, 'another');
    await expect(core.joinFromAfar(workspace, 'onemore')).rejects.toMatchObject(reached('agentsPerKey'));
  });

  it('are limited for programs of the user too', async () => {
    for (let i = 2; i < 8; i++) await core.join(workspace, `local${i}`);
    await expect(core.join(workspace, 'another')).rejects.toMatchObject(reached('localAgents'));
    await core.join(workspace, 'Alice', { token: alice.token });
    await core.joinFromAfar(workspace, 'remote');
  });

  it('that someone else took meanwhile do not count', async () => {
    await outcomes(
      Array.from({ length: 20 }, (_, i) => core.joinFromAfar(workspace, 'same', { heldBy: `${i}` })),
    );
    for (let i = 0; i < 4; i++) await core.joinFromAfar(workspace, `remote${i}`);
  });
});

describe('channels', () => {
  const create = (who: Participant, name: string) => who.request('CHANNEL_CREATE', { name });

  it('are limited per agent, archived or not, also concurrently', async () => {
    const all = Array.from({ length: 9 }, (_, i) => create(alice, `room${i}`));
    expect(fulfilled(await outcomes(all))).toBe(3);
    const { channels } = await alice.request('CHANNEL_LIST', {});
    await alice.request('CHANNEL_ARCHIVE', { channel: channels.at(-1)?.name ?? '' });
    await expect(create(alice, 'another')).rejects.toMatchObject(reached('channels'));
    await expect(alice.request('CHANNEL_JOIN', { channel: 'another', create: true })).rejects.toMatchObject(
      reached('channels'),
    );
    await create(bob, 'another');
    await alice.request('CHANNEL_JOIN', { channel: 'another', create: true });
  });

  it('are counted after a restart, also when their agent is renamed', async () => {
    for (let i = 0; i < 3; i++) await create(alice, `room${i}`);
    await core.restart();
    await core.owner(workspace).request('AGENT_RENAME', { agent: 'Alice', name: 'Alicia' });
    alice = await core.join(workspace, 'Alicia', { token: alice.token });
    await expect(create(alice, 'another')).rejects.toMatchObject(reached('channels'));
  });

  it('of all agents of one key count together, including removed ones', async () => {
    const first = await core.joinFromAfar(workspace, 'first', { ephemeral: true });
    for (let i = 0; i < 3; i++) await create(first, `room${i}`);
    await core.owner(workspace).request('AGENT_REMOVE', { agent: 'first' });
    const second = await core.joinFromAfar(workspace, 'second');
    await expect(create(second, 'another')).rejects.toMatchObject(reached('channels'));
  });

  it('that cannot be created do not count, and the owner may create any number', async () => {
    for (let i = 0; i < 9; i++) {
      await expect(create(alice, 'general')).rejects.toMatchObject({ code: 'ChannelExists' });
      await create(core.owner(workspace), `owned${i}`);
    }
    await create(alice, 'mine');
  });
});

describe('files', () => {
  let uploads = 0;
  const upload = (who: Participant, size: number) => {
    const content = randomBytes(size);
    const finish: OperationParams<'ATTACH'>['finish'] = {
      name: 'file',
      mediaType: 'text/plain',
      sha256: createHash('sha256').update(content).digest('hex'),
    };
    const data = content.toString('base64');
    return who.request('ATTACH', { upload: `u${++uploads}`, offset: 0, data, finish });
  };

  it('of one agent leave room for those of others', async () => {
    await upload(alice, 900);
    await expect(upload(alice, 101)).rejects.toMatchObject(reached('attachmentBytes'));
    await upload(alice, 100);
    await upload(bob, 900);
  });

  it('are limited per agent, also concurrently', async () => {
    const all = Array.from({ length: 4 }, () => upload(alice, 1));
    expect(fulfilled(await outcomes(all))).toBe(3);
    await expect(upload(alice, 1)).rejects.toMatchObject(reached('attachments'));
  });

  it('of the agents of one key count together', async () => {
    await upload(await core.joinFromAfar(workspace, 'first'), 900);
    await expect(upload(await core.joinFromAfar(workspace, 'second'), 200)).rejects.toMatchObject(
      reached('attachmentBytes'),
    );
  });
});

describe('reactions', () => {
  it('on a message are limited per agent and in total', async () => {
    const { messageId: message } = await alice.request('SEND', { to: 'Bob', content: 'hi' });
    const react = (who: Participant, emoji: string) => who.request('REACT', { message, emoji });
    expect(fulfilled(await outcomes(['👍', '👀', '🦊'].map((emoji) => react(alice, emoji))))).toBe(2);
    await expect(react(alice, '🎉')).rejects.toMatchObject(reached('reactions'));
    await react(bob, '🎉');
    await expect(react(bob, '🦊')).rejects.toMatchObject(reached('messageReactions'));
    await bob.request('REACT', { message, emoji: '🎉', remove: true });
    await react(bob, '🦊');
  });
});

describe('awaited answers', () => {
  const wait = { timeoutMs: 60_000 };
  const ask = (content: string, id?: string) =>
    alice.request('SEND', { to: 'Bob', content, await: wait }, id);

  it('are limited per agent, also concurrently; nothing beyond the limit is stored', async () => {
    const all = Array.from({ length: 9 }, (_, i) => ask(`question ${i}`));
    expect(fulfilled(await outcomes(all))).toBe(3);
    await expect(ask('another')).rejects.toMatchObject(reached('awaits'));
    expect((await bob.request('INBOX', {})).messages).toHaveLength(3);
    await alice.request('SEND', { to: 'Bob', content: 'without waiting' });
  });

  it('no longer count when they arrive or are given up', async () => {
    const { messageId } = await ask('first');
    for (const id of ['second', 'third']) await ask(id, id);
    await bob.request('SEND', { replyTo: messageId, content: 'answer' });
    await ask('fourth');
    await alice.request('CANCEL', { id: 'second' });
    await ask('fifth');
    await expect(ask('sixth')).rejects.toMatchObject(reached('awaits'));
  });

  it('may be asked for again under the same id', async () => {
    for (const id of ['one', 'two', 'three']) await ask(id, id);
    for (const id of ['one', 'two', 'three']) await ask(id, id);
  });
});
