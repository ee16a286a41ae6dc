import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let owner: Participant;
let alice: Participant;
let bob: Participant;
let carol: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  owner = core.owner(workspace);
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
  carol = await core.join(workspace, 'Carol');
});

type Filters = Omit<Parameters<typeof alice.request<'SEARCH'>>[1], 'query'>;
const search = async (reader: Participant, query: string, filters: Filters = {}) =>
  (await reader.request('SEARCH', { query, ...filters })).hits.map(({ message }) => message.content);

describe('a search', () => {
  it('finds messages with all words, ignoring case and accents, newest first', async () => {
    await alice.send('Bob', 'The parser fails on an empty file.');
    await alice.send('Bob', 'The lexer is fine.');
    await bob.send('Alice', 'Le PARSÉR again: FILE not found');
    expect(await search(bob, 'parser')).toEqual([
      'Le PARSÉR again: FILE not found',
      'The parser fails on an empty file.',
    ]);
    expect(await search(bob, 'file párser')).toHaveLength(2);
    expect(await search(bob, 'parser lexer')).toEqual([]);
  });

  it('finds phrases between double quotes', async () => {
    await alice.send('Bob', 'not found: the file');
    await alice.send('Bob', 'the file was not found');
    expect(await search(bob, '"file was not"')).toEqual(['the file was not found']);
  });

  it('treats everything else as plain text', async () => {
    await alice.send('Bob', 'use C++ AND words:x OR NOT (this) NEAR that*');
    for (const query of [
      'AND',
      'words:x',
      '(this',
      'that*',
      'OR NOT',
      "C++ '",
      '"unclosed',
      '-- ; DROP',
      '🙂',
    ])
      await search(bob, query);
    expect(await search(bob, 'words:x (this) that*')).toHaveLength(1);
    expect(await search(bob, '!?')).toEqual([]);
  });

  it('shows the words in context', async () => {
    await alice.send('Bob', `${'before '.repeat(60)}the needle itself ${'after '.repeat(60)}`);
    const { hits } = await bob.request('SEARCH', { query: 'NEEDLE' });
    expect(hits[0]?.highlight).toContain('the \uE000needle\uE001 itself');
    expect(hits[0]?.highlight.length).toBeLessThan(400);
  });

  it('can be filtered by channel, sender and time', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await bob.request('CHANNEL_JOIN', { channel: 'build' });
    await alice.send('#build', 'needle 1');
    await carol.send('Bob', 'needle 2');
    const until = core.clock.now();
    core.clock.advance(1000);
    const since = core.clock.now();
    await bob.send('#build', 'needle 3');
    await alice.send('Bob', 'needle 4');
    expect(await search(bob, 'needle', { channel: 'build' })).toEqual(['needle 3', 'needle 1']);
    expect(await search(bob, 'needle', { from: 'alice' })).toEqual(['needle 4', 'needle 1']);
    expect(await search(bob, 'needle', { since })).toEqual(['needle 4', 'needle 3']);
    expect(await search(bob, 'needle', { until })).toEqual(['needle 2', 'needle 1']);
    expect(await search(bob, 'needle', { channel: 'build', from: 'Bob', since })).toEqual(['needle 3']);
    expect(await search(bob, 'needle', { limit: 1 })).toEqual(['needle 4']);
  });
});

describe('what a search finds', () => {
  it('is only what the reader may see', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await alice.send('#build', 'needle in #build');
    await alice.send('Carol', 'needle for Carol');
    await alice.send(['Bob', 'Carol'], 'needle for two');
    await alice.send('#general', 'needle in #general');
    await alice.send('*', 'needle for all');
    expect(await search(bob, 'needle')).toEqual(['needle for all', 'needle in #general', 'needle for two']);
    expect(await search(bob, 'needle', { from: 'Alice' })).toHaveLength(3);
    await expect(search(bob, 'needle', { channel: 'build' })).rejects.toMatchObject({ code: 'NotAMember' });
    expect(await search(owner, 'needle')).toHaveLength(5);
    const stranger = await core.join(await core.newWorkspace(), 'Bob');
    expect(await search(stranger, 'needle')).toEqual([]);
  });

  it('includes what the reader wrote to other projects, with the recipient', async () => {
    const elsewhere = await core.newWorkspace();
    const zoe = await core.join(elsewhere, 'Zoe');
    await core.join(elsewhere, 'Yan');
    await alice.send(`${elsewhere.name}:Zoe`, 'needle for Zoe');
    await zoe.send('Yan', 'needle for Yan');
    const { hits } = await alice.request('SEARCH', { query: 'needle', from: 'Alice' });
    expect(hits.map(({ message }) => message)).toEqual((await alice.request('HISTORY', {})).messages);
    expect(hits).toMatchObject([{ message: { to: `${elsewhere.name}:Zoe`, content: 'needle for Zoe' } }]);
    expect(await search(alice, 'needle')).toEqual(['needle for Zoe']);
    expect(await search(bob, 'needle')).toEqual([]);
    expect(await search(owner, 'needle')).toEqual([]);
    const received = await zoe.request('SEARCH', { query: 'needle zoe' });
    expect(received.hits).toMatchObject([
      { message: { from: 'Alice', fromProject: workspace.name, to: 'Zoe' } },
    ]);
  });

  it('depends on channel membership', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await alice.send('#build', 'needle before');
    await bob.request('CHANNEL_JOIN', { channel: 'build' });
    expect(await search(bob, 'needle')).toEqual(['needle before']);
    await alice.send('#build', 'needle meanwhile');
    await bob.request('CHANNEL_LEAVE', { channel: 'build' });
    await alice.send('#build', 'needle after');
    expect(await search(bob, 'needle')).toEqual(['needle meanwhile']);
  });

  it('includes the latest messages, and those from before a restart', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, i) => alice.send('Bob', `needle ${i}`)));
    expect(await search(bob, '299')).toEqual(['needle 299']);
    await alice.send('Bob', 'haystack');
    await core.restart();
    const back = await core.join(workspace, 'Bob', { token: bob.token });
    expect(await search(back, 'haystack')).toEqual(['haystack']);
  });

  it('is rendered as in the history', async () => {
    await alice.send(['Bob', 'Carol'], 'needle', { kind: 'question', thread: 't1' });
    const { hits } = await bob.request('SEARCH', { query: 'needle' });
    expect(hits.map(({ message }) => message)).toEqual(bob.delivered);
  });
});
