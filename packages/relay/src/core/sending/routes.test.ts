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

describe('a message to a group', () => {
  it('reaches each member once, and names the others', async () => {
    expect(await alice.send(['Bob', 'carol', 'BOB', 'Alice'], 'Plan?')).toMatchObject({ recipients: 2 });
    const shown = { to: 'Bob, Carol', group: ['Alice', 'Bob', 'Carol'], content: 'Plan?' };
    expect(bob.delivered).toMatchObject([shown]);
    expect(carol.delivered).toMatchObject([shown]);
    expect(alice.delivered).toEqual([]);
    expect(await bob.unread()).toEqual(bob.delivered);
  });

  it('is in the same conversation for any sender and order of names', async () => {
    await alice.send(['Bob', 'Carol'], 'one');
    await carol.send(['Alice', 'Bob'], 'two');
    const { conversations } = await bob.request('CONVERSATIONS', {});
    expect(conversations).toMatchObject([{ kind: 'group', participants: ['Alice', 'Carol'], unread: 2 }]);
  });

  it('with one other agent is a direct message', async () => {
    await alice.send(['Bob', 'alice'], 'Just you.');
    expect(bob.delivered[0]).toMatchObject({ to: 'Bob' });
    expect(bob.delivered[0]).not.toHaveProperty('group');
  });

  it('needs at least one other agent, and all must exist', async () => {
    await expect(alice.send(['Alice'], 'x')).rejects.toMatchObject({ code: 'InvalidRequest' });
    await expect(alice.send(['Bob', 'Carl'], 'x')).rejects.toMatchObject({
      code: 'AgentNotFound',
      details: { suggestions: ['Carol'] },
    });
    expect(contents(bob)).toEqual([]);
  });

  it('cannot be awaited: there would be several answers', async () => {
    const question = alice.send(['Bob', 'Carol'], 'Who?', { await: { timeoutMs: 1000 } });
    await expect(question).rejects.toMatchObject({ code: 'InvalidRequest', details: { field: 'await' } });
  });
});

describe('a reply', () => {
  it('to a direct message goes to the other agent', async () => {
    const { messageId } = await alice.send('Bob', 'Hello?');
    await bob.reply(messageId, 'Hello.');
    await alice.reply(messageId, 'And another thing.');
    expect([contents(alice), contents(bob)]).toEqual([['Hello.'], ['Hello?', 'And another thing.']]);
  });

  it('to a channel goes to the channel', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await bob.request('CHANNEL_JOIN', { channel: 'build' });
    await carol.request('CHANNEL_JOIN', { channel: 'build' });
    const { messageId } = await alice.send('#build', 'Green?');
    expect(await bob.reply(messageId, 'Green.')).toMatchObject({ recipients: 2 });
    expect(carol.delivered.at(-1)).toMatchObject({ channel: '#build', replyTo: messageId });
  });

  it('to a group goes to the group', async () => {
    const { messageId } = await alice.send(['Bob', 'Carol'], 'Plan?');
    await bob.reply(messageId, 'Ship it.');
    expect([contents(alice), contents(carol)]).toEqual([['Ship it.'], ['Plan?', 'Ship it.']]);
    expect(carol.delivered.at(-1)).toMatchObject({ group: ['Alice', 'Bob', 'Carol'] });
  });

  it('to a broadcast goes to its sender alone', async () => {
    const { messageId } = await alice.send('*', 'Who is here?');
    expect(await bob.reply(messageId, 'Me.')).toMatchObject({ recipients: 1 });
    expect([contents(alice), contents(carol)]).toEqual([['Me.'], ['Who is here?']]);
  });

  it('may go to another address, and is still a reply', async () => {
    const { messageId } = await alice.send('Bob', 'Secretly.');
    await bob.reply(messageId, 'She said something.', { to: 'Carol' });
    expect(carol.delivered).toMatchObject([{ from: 'Bob', replyTo: messageId, thread: messageId }]);
    expect(contents(alice)).toEqual([]);
  });

  it('joins the thread of its message, or starts one', async () => {
    const root = await alice.send('Bob', 'Root.');
    const first = await bob.reply(root.messageId, 'First.');
    const second = await alice.reply(first.messageId, 'Second.');
    expect([root.thread, first.thread, second.thread]).toEqual([undefined, root.messageId, root.messageId]);
    const named = await alice.send('Bob', 'Named.', { thread: 'release-7' });
    expect(await bob.reply(named.messageId, 'Yes.')).toMatchObject({ thread: 'release-7' });
    expect(await bob.reply(named.messageId, 'No.', { thread: 'other' })).toMatchObject({ thread: 'other' });
  });

  it('to a message that the sender cannot see is refused like one to a missing message', async () => {
    const { messageId } = await alice.send('Bob', 'Secret.');
    const attempts = [carol.reply(messageId, 'I heard.'), carol.reply('msg_none', 'What?')];
    for (const attempt of attempts) {
      await expect(attempt).rejects.toMatchObject({
        code: 'MessageNotFound',
        message: expect.stringMatching(/^There is no message \S+, or you cannot see it\.$/),
      });
    }
    await expect(carol.reply(messageId, 'x', { to: 'Bob' })).rejects.toMatchObject({
      code: 'MessageNotFound',
    });
  });

  it('to an agent that was removed says so', async () => {
    const { messageId } = await alice.send('Bob', 'Farewell.');
    await core.owner(workspace).request('AGENT_REMOVE', { agent: 'Alice' });
    await expect(bob.reply(messageId, 'Wait!')).rejects.toMatchObject({ code: 'AgentNotFound' });
  });

  it('to a group goes to the remaining members', async () => {
    const dave = await core.join(workspace, 'Dave');
    const { messageId } = await alice.send(['Bob', 'Carol', 'Dave'], 'Plan?');
    const owner = core.owner(workspace);
    await owner.request('AGENT_REMOVE', { agent: 'Dave' });
    await bob.reply(messageId, 'To two.');
    expect(alice.delivered.at(-1)).toMatchObject({ content: 'To two.', group: ['Alice', 'Bob', 'Carol'] });
    await owner.request('AGENT_REMOVE', { agent: 'Carol' });
    await bob.reply(messageId, 'To one.');
    // A direct message by now, and in the conversation of their direct messages.
    expect(alice.delivered.at(-1)).toMatchObject({ content: 'To one.', to: 'Alice' });
    expect(alice.delivered.at(-1)).not.toHaveProperty('group');
    await bob.send('Alice', 'Directly.');
    expect((await alice.request('CONVERSATIONS', {})).conversations[0]).toMatchObject({
      kind: 'dm',
      participants: ['Bob'],
      unread: 2,
    });
    await owner.request('AGENT_REMOVE', { agent: 'Alice' });
    await expect(bob.reply(messageId, 'To nobody.')).rejects.toMatchObject({ code: 'AgentNotFound' });
    expect(contents(dave)).toEqual(['Plan?']);
  });

  it('needs no address, but any other message does', async () => {
    await expect(alice.request('SEND', { content: 'Anyone?' })).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: { field: 'to' },
    });
  });
});

describe('another project', () => {
  let other: Workspace;
  let zoe: Participant;

  beforeEach(async () => {
    other = await core.newWorkspace();
    zoe = await core.join(other, 'Zoe');
  });

  it('is reachable from this machine: its agents, lead, channels and everybody', async () => {
    await zoe.request('CHANNEL_CREATE', { name: 'build' });
    for (const target of ['Zoe', 'lead', '#build', '#general', '*'])
      await alice.send(`${other.name}:${target}`, target);
    expect(contents(zoe)).toEqual(['Zoe', 'lead', '#build', '#general', '*']);
    for (const message of zoe.delivered)
      expect(message).toMatchObject({ from: 'Alice', fromProject: workspace.name });
    // Writing does not make a stranger a member.
    expect(await zoe.request('CHANNEL_MEMBERS', { channel: 'build' })).toEqual({ members: ['Zoe'] });
  });

  it('answers the sender in its own project', async () => {
    const { messageId } = await alice.send(`${other.name}:Zoe`, 'Hello over there.');
    await zoe.reply(messageId, 'Hello yourself.');
    expect(alice.delivered).toMatchObject([
      { from: 'Zoe', fromProject: other.name, to: 'Alice', thread: messageId },
    ]);
    const { messageId: again } = await alice.reply(alice.delivered[0]?.id ?? '', 'Bye.');
    expect(contents(zoe)).toEqual(['Hello over there.', 'Bye.']);
    expect((await zoe.request('CONVERSATIONS', {})).conversations).toMatchObject([
      { participants: ['Alice'], unread: 2, last: { id: again } },
    ]);
  });

  it('gets the replies to its channel, not the local channel of the same name', async () => {
    const { messageId } = await alice.send(`${other.name}:#general`, 'Hello all.');
    await alice.reply(messageId, 'One more thing.');
    expect(contents(zoe)).toEqual(['Hello all.', 'One more thing.']);
    expect(contents(bob)).toEqual([]);
  });

  it("shows the messages to their sender, and to nobody else of the sender's project", async () => {
    const { messageId } = await alice.send(`${other.name}:Zoe`, 'Between us.');
    expect(await alice.request('TRACE', { id: messageId })).toMatchObject({
      deliveries: [{ recipient: 'Zoe' }],
    });
    for (const reader of [bob, core.owner(workspace)]) {
      await expect(reader.request('TRACE', { id: messageId })).rejects.toMatchObject({
        code: 'MessageNotFound',
      });
    }
    await core.owner(other).request('TRACE', { id: messageId });
  });

  it('is suggested when its name is misspelt', async () => {
    await expect(alice.send(`${other.name}x:Zoe`, 'Hi.')).rejects.toMatchObject({
      code: 'ProjectNotFound',
      details: { suggestions: expect.arrayContaining([other.name]) },
    });
  });

  describe('for a remote agent', () => {
    let remote: Participant;

    beforeEach(async () => {
      remote = await core.joinFromAfar(workspace, 'Remote');
    });

    it('looks like one that does not exist', async () => {
      const refusal = (address: string) =>
        remote.send(address, 'Anybody?').then(
          () => 'It was sent.',
          ({ code, message, next, details }) =>
            JSON.stringify({ code, message, next, details }).replaceAll(address.split(':')[0] ?? '', '…'),
        );
      const refusals = await Promise.all(
        [`${other.name}:Zoe`, 'nowhere:Zoe'].map((address) => refusal(address)),
      );
      expect(refusals[0]).toContain('Forbidden');
      expect(refusals[1]).toBe(refusals[0]);
      // An agent that does not exist there looks no different either.
      expect(await refusal(`${other.name}:Nobody`)).toBe(refusals[0]?.replace('Zoe', 'Nobody'));
      expect(contents(zoe)).toEqual([]);
    });

    it('is open with a grant, until it is revoked', async () => {
      const owner = core.owner(workspace);
      await owner.request('GRANT', { agent: 'Remote', project: other.name });
      await remote.send(`${other.name}:Zoe`, 'Granted.');
      expect(contents(zoe)).toEqual(['Granted.']);
      await owner.request('GRANT', { agent: 'Remote', project: other.name, allowed: false });
      const refused = remote.send(`${other.name}:Zoe`, 'Again.');
      await expect(refused).rejects.toMatchObject({ code: 'Forbidden' });
      expect((await owner.request('AUDIT', {})).entries).toMatchObject([
        { action: 'grant.taken', subject: 'Remote', detail: { project: other.name } },
        { action: 'grant.given', subject: 'Remote', detail: { project: other.name } },
        ...[{}, {}, {}, {}],
      ]);
    });

    it('is open only to the agent with the grant, also after a restart', async () => {
      await core.owner(workspace).request('GRANT', { agent: 'Remote', project: other.name });
      await core.restart();
      const back = await core.join(workspace, 'Remote', { token: remote.token });
      const afar = Object.assign(back, { principal: { ...back.principal, local: false } });
      const second = await core.joinFromAfar(workspace, 'Second');
      expect(await afar.send(`${other.name}:Zoe`, 'Hi.')).toMatchObject({ recipients: 1 });
      await expect(second.send(`${other.name}:Zoe`, 'Hi.')).rejects.toMatchObject({ code: 'Forbidden' });
    });

    it('may be answered without a grant', async () => {
      await zoe.send(`${workspace.name}:Remote`, 'Need anything?');
      await remote.reply(remote.delivered[0]?.id ?? '', 'No, thanks.');
      expect(contents(zoe)).toEqual(['No, thanks.']);
    });

    it('needs no grant for its own project by full name', async () => {
      await remote.send(`${workspace.name}:Alice`, 'Here.');
      expect(contents(alice)).toEqual(['Here.']);
    });
  });
});

describe('*:*', () => {
  it('reaches everybody in every project, from a person or a lead', async () => {
    const other = await core.newWorkspace();
    const zoe = await core.join(other, 'Zoe');
    const ann = await core.join(workspace, 'Ann', { type: 'human' });
    const lead = await core.join(other, 'Chief', { lead: true });
    const sent = await ann.send('*:*', 'From a person.');
    expect(sent.recipients).toBeGreaterThanOrEqual(5);
    await lead.send('*:*', 'From a lead.');
    for (const reader of [alice, zoe]) expect(contents(reader)).toEqual(['From a person.', 'From a lead.']);
    expect([contents(ann), contents(lead)]).toEqual([['From a lead.'], ['From a person.']]);
  });

  it('sent again with its id is the same message', async () => {
    const ann = await core.join(workspace, 'Ann', { type: 'human' });
    const first = await ann.send('*:*', 'Once.', {}, 'my-id');
    expect(await ann.send('*:*', 'Once.', {}, 'my-id')).toMatchObject({
      messageId: first.messageId,
      duplicate: true,
    });
    expect(contents(alice)).toEqual(['Once.']);
  });

  it('stays in order with later messages of its sender', async () => {
    const ann = await core.join(workspace, 'Ann', { type: 'human' });
    await ann.send('Alice', 'known conversation');
    await core.newWorkspace();
    await Promise.all([ann.send('*:*', 'first'), ann.send('Alice', 'second'), ann.send('*:*', 'third')]);
    expect(contents(alice)).toEqual(['known conversation', 'first', 'second', 'third']);
  });

  it('is refused to other agents and remote clients', async () => {
    await expect(alice.send('*:*', 'x')).rejects.toMatchObject({ code: 'Forbidden' });
    const remote = await core.joinFromAfar(workspace, 'Remote');
    Object.assign(remote.principal.agent ?? {}, { lead: true });
    await expect(remote.send('*:*', 'x')).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('cannot be awaited', async () => {
    const ann = await core.join(workspace, 'Ann', { type: 'human' });
    const question = ann.send('*:*', 'Who?', { await: { timeoutMs: 1000 } });
    await expect(question).rejects.toMatchObject({ code: 'InvalidRequest' });
  });
});
