import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Agent } from '../ports/store/agents.ts';
import { findMentions } from './mentions.ts';

describe('a mention in a text', () => {
  const known = ['Alice', 'dev-a', 'x_y'].map((name, id) => ({ id, name }) as Agent);
  const mentioned = (text: string) =>
    findMentions(text, (name) => known.find((agent) => agent.name.toLowerCase() === name.toLowerCase())).map(
      ({ name }) => name,
    );

  it.each([
    ['@Alice look', ['Alice']],
    ['ask @alice, then @DEV-A.', ['Alice', 'dev-a']],
    ['(@x_y) "@Alice" @Alice again', ['x_y', 'Alice']],
    ['thanks @Alice- and @dev-a_', ['Alice', 'dev-a']],
    ['Привет,@Alice', ['Alice']],
    ['@Alice\n@dev-a', ['Alice', 'dev-a']],
  ])('is found in %j', (text, names) => {
    expect(mentioned(text)).toEqual(names);
  });

  it.each([
    ['no at sign', 'Alice'],
    ['an address', 'mail alice@Alice.org or me.@Alice'],
    ['a package', 'npm i scope/@Alice'],
    ['two at signs', '@@Alice'],
    ['a word before', 'x@Alice and 7@Alice'],
    ['a longer name', '@Alices'],
    ['nobody', '@Bob @'],
  ])('is not %s', (_what, text) => {
    expect(mentioned(text)).toEqual([]);
  });

  it('is limited in number, and cheap to look for in hostile text', () => {
    const everybody = (name: string) => ({ id: Number(name.slice(1)), name }) as Agent;
    const text = Array.from({ length: 1000 }, (_, i) => `@a${i}`).join(' ');
    expect(findMentions(text, everybody)).toHaveLength(64);
    const sought: string[] = [];
    findMentions(`${'@'.repeat(30_000)} ${'@a-'.repeat(10_000)}`, (name) => void sought.push(name));
    expect(sought).toEqual(['a-', 'a']);
  });
});

describe('a mentioned agent', () => {
  let core: TestCore;
  let alice: Participant;
  let bob: Participant;
  let carol: Participant;

  beforeAll(async () => {
    core = await openCore();
  });
  afterAll(() => core[Symbol.asyncDispose]());
  beforeEach(async () => {
    const workspace = await core.newWorkspace();
    alice = await core.join(workspace, 'Alice');
    bob = await core.join(workspace, 'Bob');
    carol = await core.join(workspace, 'Carol');
  });

  const mentions = async (reader: Participant) =>
    (await reader.request('INBOX', { mentions: true })).messages.map(({ content }) => content);

  it('is in the message, and its inbox can be filtered by mentions', async () => {
    await alice.send('#general', 'Morning, all.');
    await alice.send('#general', 'Over to @bob and @Nobody.');
    expect(bob.delivered.map((message) => message.mentions)).toEqual([undefined, ['Bob']]);
    expect(await bob.unread()).toEqual(bob.delivered);
    expect(await mentions(bob)).toEqual(['Over to @bob and @Nobody.']);
    expect(await mentions(carol)).toEqual([]);
  });

  it('does not get a message by the mention alone', async () => {
    await alice.send('Bob', 'What does @Carol think?');
    expect(carol.delivered).toEqual([]);
    expect((await carol.request('HISTORY', {})).messages).toEqual([]);
  });

  it('is reported to the sender if it is not in the channel', async () => {
    await bob.request('CHANNEL_JOIN', { channel: '#dev', create: true });
    const text = '@Bob, @Carol and I (@Alice) look at it, says @relay.';
    const sent = await alice.send('#dev', text, {}, 'retry-1');
    expect(sent).toMatchObject({ recipients: 1, notInChannel: ['Carol'] });
    expect(carol.delivered).toEqual([]);
    expect(await alice.send('#dev', text, {}, 'retry-1')).toMatchObject({
      duplicate: true,
      notInChannel: ['Carol'],
    });
    for (const to of ['#general', 'Bob'])
      expect(await alice.send(to, text)).not.toHaveProperty('notInChannel');
    await carol.request('CHANNEL_JOIN', { channel: '#dev' });
    expect(await alice.send('#dev', text)).not.toHaveProperty('notInChannel');
  });

  it('is searched in the project of the recipient', async () => {
    const other = await core.newWorkspace();
    const zoe = await core.join(other, 'Zoe');
    await alice.send(`${other.name}:Zoe`, '@Zoe meet @Bob');
    expect(zoe.delivered).toMatchObject([{ mentions: ['Zoe'] }]);
  });
});
