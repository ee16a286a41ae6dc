import { connect } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { callTool, connectStdio, ERAS } from '../kit/clients.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const agent = (name: string) => connect({ socketPath: daemon.socketPath, env: daemon.env, name });

describe.each(ERAS)('conversations over stdio, revision %s', (era) => {
  const unique = (name: string) => `${name}-${era.slice(0, 4)}`;
  const open = async (toolset: string, name: string) => {
    const client = await connectStdio(daemon, {
      era,
      env: { RELAY_AGENT_NAME: unique(name) },
      args: ['serve', '--tools', toolset],
    });
    await client.readResource({ uri: 'relay://project' });
    return client;
  };

  it('network: joins a channel and reads new posts once', async () => {
    await using alice = await agent(unique('Alice'));
    await using client = await open('network', 'Listener');
    const channel = `#${unique('news')}`;
    const joined = await callTool(client, 'relay_join_channel', { channel: unique('news') });
    expect(JSON.parse(joined.texts[0] ?? '')).toEqual({ success: true, channel });
    const before = new Date(Date.now() - 1000).toISOString();
    await alice.send(channel, 'First', { thread: 't1' });
    await alice.send(unique('Listener'), 'Second');
    const hinted = await callTool(client, 'relay_list_agents');
    expect(hinted.texts.at(-1)).toBe('You have 2 unread messages: see relay_get_messages.');
    const got = await callTool(client, 'relay_get_messages', { since: before });
    const contents = (reply: typeof got) =>
      JSON.parse(reply.texts[0] ?? '').map((m: { content: string }) => m.content);
    expect(contents(got)).toEqual(['First', 'Second']);
    expect((await callTool(client, 'relay_list_agents')).texts).toHaveLength(1);
    // It is a history: what was read is still there.
    expect(contents(await callTool(client, 'relay_get_messages', { thread: 't1' }))).toEqual(['First']);
    expect(
      contents(await callTool(client, 'relay_get_messages', { agent: unique('Alice'), limit: 1 })),
    ).toEqual(['Second']);
    const wrong = await callTool(client, 'relay_get_messages', { since: 'yesterday' });
    expect(wrong.data).toMatchObject({ error: { code: 'InvalidRequest' } });
  });

  it('workspace: the life of a channel', async () => {
    await using amy = await open('workspace', 'Amy');
    await using bob = await open('workspace', 'Bob');
    const name = unique('plans');
    const channel = `#${name}`;
    expect((await callTool(amy, 'create_channel', { name, topic: 'next week' })).data).toMatchObject({
      channel: { name: channel, topic: 'next week', joined: true },
    });
    expect((await callTool(bob, 'join_channel', { channel })).data).toMatchObject({ joined: true });
    const posted = await callTool(amy, 'post_message', { channel: name, text: 'Who writes the tests?' });
    expect(posted.data).toMatchObject({ channel, recipients: 1 });
    const { message_id } = posted.data;
    expect((await callTool(bob, 'check_inbox')).data).toMatchObject({
      messages: [{ id: message_id, channel }],
    });
    const answer = await callTool(bob, 'reply_to_thread', { message_id, text: 'I do' });
    expect(answer.isError).toBe(false);
    expect((await callTool(amy, 'get_message_thread', { message_id })).data).toMatchObject({
      messages: [{ content: 'Who writes the tests?' }, { content: 'I do' }],
    });
    await callTool(bob, 'add_reaction', { message_id, emoji: '👍' });
    const listed = await callTool(amy, 'list_messages', { channel });
    expect(listed.data).toMatchObject({
      messages: [
        { id: message_id, reactions: [{ emoji: '👍', agents: [unique('Bob')] }] },
        { content: 'I do' },
      ],
    });
    const [first] = listed.data.messages as Array<{ seq: number }>;
    const later = await callTool(amy, 'list_messages', { channel, after: first?.seq });
    expect(later.data).toMatchObject({ messages: [{ content: 'I do' }] });
    expect((await callTool(bob, 'remove_reaction', { message_id, emoji: '👍' })).data).toMatchObject({
      reactions: [],
    });
    await callTool(bob, 'mark_message_read', { message_id });
    expect((await callTool(amy, 'get_message_readers', { message_id })).data).toMatchObject({
      readers: [{ agent: unique('Bob') }],
    });
    const topic = await callTool(amy, 'set_channel_topic', { channel: name, topic: 'this week' });
    expect(topic.data).toMatchObject({ channel, topic: 'this week' });
    expect((await callTool(amy, 'list_channels')).data.channels).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: channel, topic: 'this week' })]),
    );
    expect((await callTool(bob, 'leave_channel', { channel })).data).toMatchObject({ left: true });
    expect((await callTool(amy, 'invite_to_channel', { channel, agent: unique('Bob') })).data).toMatchObject({
      added: true,
    });
    expect((await callTool(amy, 'archive_channel', { channel: name })).data).toMatchObject({ channel });
    expect((await callTool(amy, 'post_message', { channel, text: 'too late' })).isError).toBe(true);
    const channels = (await callTool(amy, 'list_channels')).data.channels as Array<{ name: string }>;
    expect(channels.map((known) => known.name)).not.toContain(channel);
  });

  it('workspace: groups, conversations and search', async () => {
    await using amy = await open('workspace', 'Amy');
    await using bob = await open('workspace', 'Bob');
    await using _cleo = await agent(unique('Cleo'));
    const participants = [unique('Bob'), unique('Cleo')];
    const sent = await callTool(amy, 'send_group_dm', { participants, text: 'Meet at noon', name: 'Lunch' });
    expect(sent.data).toMatchObject({ recipients: 2 });
    expect((await callTool(bob, 'list_dms')).data).toMatchObject({
      conversations: [{ kind: 'group', last: { content: 'Lunch\n\nMeet at noon' } }],
    });
    const found = await callTool(bob, 'search_messages', { query: 'noon', from: unique('Amy') });
    expect(found.data).toMatchObject({ hits: [{ id: sent.data.message_id }] });
    expect((found.data.hits as Array<{ highlight: string }>)[0]?.highlight).toContain('**noon**');
    expect((await callTool(bob, 'search_messages', { query: 'nothing-like-this' })).data).toMatchObject({
      hits: [],
    });
  });
});
