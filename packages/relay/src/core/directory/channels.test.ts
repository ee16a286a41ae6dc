import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let alice: Participant;
let bob: Participant;
let carol: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
  carol = await core.join(workspace, 'Carol');
});

const contents = (participant: Participant) => participant.delivered.map(({ content }) => content);
const members = async (channel: string) => (await alice.request('CHANNEL_MEMBERS', { channel })).members;
const listed = async (includeArchived = false) =>
  (await bob.request('CHANNEL_LIST', { includeArchived })).channels;

describe('#general', () => {
  it('exists from the start, and everybody is a member', async () => {
    expect(await listed()).toEqual([
      { name: '#general', members: 3, joined: true, createdBy: 'relay', createdAt: workspace.createdAt },
    ]);
    expect(await members('general')).toEqual(['Alice', 'Bob', 'Carol']);
  });

  it('reaches everybody without joining, also those who register later', async () => {
    const dave = await core.join(workspace, 'Dave');
    expect(await alice.send('#general', 'Morning.')).toMatchObject({ recipients: 3 });
    for (const reader of [bob, carol, dave]) expect(contents(reader)).toEqual(['Morning.']);
    expect(bob.delivered[0]).toMatchObject({ to: '#general', channel: '#general' });
  });

  it('shows newcomers earlier messages, but not as unread', async () => {
    await alice.send('#general', 'Before.');
    const dave = await core.join(workspace, 'Dave');
    expect((await dave.request('INBOX', {})).unread).toBe(0);
    const { messages } = await dave.request('HISTORY', { channel: '#general' });
    expect(messages.map(({ content }) => content)).toEqual(['Before.']);
  });

  it('cannot be left, archived or created again', async () => {
    await expect(bob.request('CHANNEL_LEAVE', { channel: '#general' })).rejects.toMatchObject({
      code: 'Forbidden',
    });
    await expect(bob.request('CHANNEL_ARCHIVE', { channel: 'general' })).rejects.toMatchObject({
      code: 'Forbidden',
    });
    await expect(bob.request('CHANNEL_CREATE', { name: '#General' })).rejects.toMatchObject({
      code: 'ChannelExists',
    });
    expect(await bob.request('CHANNEL_JOIN', { channel: '#general' })).toMatchObject({ joined: false });
  });

  it('is the same after a restart', async () => {
    await core.restart();
    const { channels } = await core.owner(workspace).request('CHANNEL_LIST', {});
    expect(channels).toMatchObject([{ name: '#general', members: 3 }]);
  });
});

describe('a channel', () => {
  it('is created with a topic, and its creator is a member', async () => {
    const { channel } = await alice.request('CHANNEL_CREATE', { name: 'Build', topic: 'Red or green' });
    expect(channel).toEqual({
      name: '#Build',
      topic: 'Red or green',
      members: 1,
      joined: true,
      createdBy: 'Alice',
      createdAt: core.clock.now(),
    });
    expect(await listed()).toContainEqual({ ...channel, joined: false });
  });

  it('has one name, with or without #, in any case', async () => {
    await alice.request('CHANNEL_CREATE', { name: '#Build' });
    await expect(bob.request('CHANNEL_CREATE', { name: 'build' })).rejects.toMatchObject({
      code: 'ChannelExists',
    });
    await bob.request('CHANNEL_JOIN', { channel: 'BUILD' });
    await alice.send('#bUiLd', 'Hi.');
    expect(bob.delivered[0]).toMatchObject({ channel: '#Build', to: '#Build' });
    await expect(bob.request('CHANNEL_CREATE', { name: 'no good' })).rejects.toMatchObject({
      code: 'InvalidName',
    });
  });

  it('delivers posts to its current members only', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await alice.send('#build', 'Alone.');
    expect(await bob.request('CHANNEL_JOIN', { channel: 'build' })).toMatchObject({
      joined: true,
      channel: { members: 2, joined: true },
    });
    expect(await bob.request('CHANNEL_JOIN', { channel: 'build' })).toMatchObject({ joined: false });
    expect(await alice.send('#build', 'Together.')).toMatchObject({ recipients: 1 });
    expect(await bob.request('CHANNEL_LEAVE', { channel: 'build' })).toEqual({ left: true });
    expect(await bob.request('CHANNEL_LEAVE', { channel: 'build' })).toEqual({ left: false });
    await alice.send('#build', 'Alone again.');
    expect([contents(bob), contents(carol)]).toEqual([['Together.'], []]);
  });

  it('is joined by writing to it', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await bob.send('#build', 'Let me in.');
    expect(await members('build')).toEqual(['Alice', 'Bob']);
    await alice.send('#build', 'Welcome.');
    expect(contents(bob)).toEqual(['Welcome.']);
  });

  it('can be created by joining it, once, even by many at once', async () => {
    const joined = await Promise.all(
      [alice, bob, carol].map((one) => one.request('CHANNEL_JOIN', { channel: 'standup', create: true })),
    );
    expect(joined.map((result) => result.joined)).toEqual([true, true, true]);
    expect(await members('standup')).toEqual(['Alice', 'Bob', 'Carol']);
    expect((await listed()).map(({ name }) => name)).toEqual(['#general', '#standup']);
  });

  it('includes invited agents', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    expect(await alice.request('CHANNEL_INVITE', { channel: 'build', agent: 'bob' })).toEqual({
      added: true,
    });
    expect(await alice.request('CHANNEL_INVITE', { channel: 'build', agent: 'Bob' })).toEqual({
      added: false,
    });
    expect(await members('build')).toEqual(['Alice', 'Bob']);
    const unknown = alice.request('CHANNEL_INVITE', { channel: 'build', agent: 'Bop' });
    await expect(unknown).rejects.toMatchObject({ details: { suggestions: ['Bob'] } });
  });

  it('can change its topic', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await bob.request('CHANNEL_TOPIC', { channel: 'build', topic: 'Green' });
    expect((await listed()).at(-1)).toMatchObject({ topic: 'Green' });
  });

  it('that does not exist is an error with the nearest names', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    for (const attempt of [
      alice.send('#biuld', 'Hi.'),
      alice.request('CHANNEL_JOIN', { channel: 'biuld' }),
      alice.request('CHANNEL_MEMBERS', { channel: '#biuld' }),
      alice.request('HISTORY', { channel: 'biuld' }),
    ]) {
      await expect(attempt).rejects.toMatchObject({
        code: 'ChannelNotFound',
        message: expect.stringContaining('Did you mean #build?'),
        details: { suggestions: ['#build'] },
      });
    }
  });

  it('of another project is another channel', async () => {
    const other = await core.newWorkspace();
    const stranger = await core.join(other, 'Alice');
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await expect(stranger.send('#build', 'Hi.')).rejects.toMatchObject({ code: 'ChannelNotFound' });
    await stranger.request('CHANNEL_CREATE', { name: 'build' });
    expect(await members('build')).toEqual(['Alice']);
  });

  it('keeps its members and topic over a restart', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build', topic: 'Green' });
    await bob.request('CHANNEL_JOIN', { channel: 'build' });
    await carol.request('CHANNEL_JOIN', { channel: 'build' });
    await carol.request('CHANNEL_LEAVE', { channel: 'build' });
    await core.restart();
    const back = await core.join(workspace, 'Alice', { token: alice.token });
    expect(await back.request('CHANNEL_MEMBERS', { channel: 'build' })).toEqual({
      members: ['Alice', 'Bob'],
    });
    expect((await back.request('CHANNEL_LIST', {})).channels.at(-1)).toMatchObject({ topic: 'Green' });
    expect(await back.send('#build', 'Still here?')).toMatchObject({ recipients: 1, offline: ['Bob'] });
  });

  it('loses members that are removed', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await bob.request('CHANNEL_JOIN', { channel: 'build' });
    await core.owner(workspace).request('AGENT_REMOVE', { agent: 'Bob' });
    expect(await members('build')).toEqual(['Alice']);
    expect(await alice.send('#build', 'Anyone?')).toMatchObject({ recipients: 0 });
    const namesake = await core.join(workspace, 'Bob');
    expect((await namesake.request('CHANNEL_LIST', {})).channels.at(-1)).toMatchObject({ joined: false });
  });
});

describe('an archived channel', () => {
  beforeEach(async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await bob.request('CHANNEL_JOIN', { channel: 'build' });
    await alice.send('#build', 'Last words.');
    await alice.request('CHANNEL_ARCHIVE', { channel: 'build' });
  });

  it('accepts no messages, members or topics, also after a restart', async () => {
    const attempts = (participant: Participant) => [
      participant.send('#build', 'One more.'),
      participant.request('CHANNEL_TOPIC', { channel: 'build', topic: 'x' }),
      participant.request('CHANNEL_INVITE', { channel: 'build', agent: 'Carol' }),
      participant.request('CHANNEL_JOIN', { channel: 'build', create: true }),
    ];
    for (const attempt of attempts(alice))
      await expect(attempt).rejects.toMatchObject({ code: 'ChannelArchived' });
    await core.restart();
    const back = await core.join(workspace, 'Alice', { token: alice.token });
    for (const attempt of attempts(back))
      await expect(attempt).rejects.toMatchObject({ code: 'ChannelArchived' });
  });

  it('accepts no replies to its messages', async () => {
    const [last] = bob.delivered;
    await expect(bob.reply(last?.id ?? '', 'But…')).rejects.toMatchObject({ code: 'ChannelArchived' });
  });

  it('is listed on request, and can still be read by its members', async () => {
    expect((await listed()).map(({ name }) => name)).toEqual(['#general']);
    expect((await listed(true)).at(-1)).toMatchObject({ name: '#build', archivedAt: core.clock.now() });
    expect((await bob.request('HISTORY', { channel: 'build' })).messages).toHaveLength(1);
  });

  it('keeps its name, and can be reopened', async () => {
    await expect(bob.request('CHANNEL_CREATE', { name: 'build' })).rejects.toMatchObject({
      code: 'ChannelExists',
    });
    await bob.request('CHANNEL_ARCHIVE', { channel: 'build', archived: false });
    expect(await alice.send('#build', 'We are back.')).toMatchObject({ recipients: 1 });
    expect((await listed()).at(-1)).not.toHaveProperty('archivedAt');
  });
});

describe('a key without a name', () => {
  it('can see channels, but not change them', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build', topic: 'Green' });
    const before = await listed(true);
    const observer = core.observerFromAfar(workspace);
    const changes = [
      observer.request('CHANNEL_CREATE', { name: 'spam' }),
      observer.request('CHANNEL_TOPIC', { channel: 'build', topic: 'Spam' }),
      observer.request('CHANNEL_ARCHIVE', { channel: 'build' }),
      observer.request('CHANNEL_INVITE', { channel: 'build', agent: 'Bob' }),
      observer.request('CHANNEL_JOIN', { channel: 'spam', create: true }),
    ];
    for (const change of await Promise.allSettled(changes))
      expect(change).toMatchObject({ reason: { code: 'AgentNameRequired' } });
    expect(await listed(true)).toEqual(before);
    expect((await observer.request('CHANNEL_LIST', {})).channels).toHaveLength(before.length);
  });
});

describe('watchers', () => {
  it('get each change of a channel once', async () => {
    await carol.request('WATCH', {});
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await bob.send('#build', 'Joined by writing.');
    await alice.request('CHANNEL_INVITE', { channel: 'build', agent: 'Carol' });
    await alice.request('CHANNEL_INVITE', { channel: 'build', agent: 'Carol' });
    await bob.request('CHANNEL_LEAVE', { channel: 'build' });
    await bob.request('CHANNEL_LEAVE', { channel: 'build' });
    await bob.request('CHANNEL_JOIN', { channel: 'build' });
    await alice.request('CHANNEL_TOPIC', { channel: 'build', topic: 'Green' });
    await alice.request('CHANNEL_ARCHIVE', { channel: 'build' });
    await bob.request('CHANNEL_ARCHIVE', { channel: 'build', archived: false });
    const channel = '#build';
    expect(carol.events).toEqual([
      { type: 'channel.created', channel, agent: 'Alice' },
      { type: 'channel.joined', channel, agent: 'Alice' },
      { type: 'channel.joined', channel, agent: 'Bob' },
      { type: 'channel.joined', channel, agent: 'Carol' },
      { type: 'channel.left', channel, agent: 'Bob' },
      { type: 'channel.joined', channel, agent: 'Bob' },
      { type: 'channel.topic', channel, topic: 'Green', agent: 'Alice' },
      { type: 'channel.archived', channel, agent: 'Alice' },
      { type: 'channel.opened', channel, agent: 'Bob' },
    ]);
  });
});
