import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Relay, SendOptions } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTerminals } from '../../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
import { client, known } from './commands.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  // These messages are short and go back and forth, which the governor would hold.
  const settings = { attachments: { maxFileBytes: 700_000 }, governor: { enabled: false } };
  daemon = await startDaemon({ settings });
  await known(daemon, 'Alice', 'Bob', 'Carol', 'Eve');
});
afterAll(async () => {
  for (const agent of agents.values()) await (await agent).close();
  await daemon[Symbol.asyncDispose]();
});

const relay = (...args: string[]) => daemon.cli(args);
const as = (name: string, ...args: string[]) => daemon.cli([...args, '--as', name]);
const agents = new Map<string, Promise<Relay>>();
/** Sends, without the cost of a command, and returns the id of the message. */
async function say(
  name: string,
  to: string | string[],
  text: string,
  options: SendOptions = {},
): Promise<string> {
  const agent = agents.get(name) ?? client(daemon, { name });
  agents.set(name, agent);
  return (await (await agent).send(to, text, options)).messageId;
}
const contents = (page: { messages: Array<{ content: string }> }) =>
  page.messages.map(({ content }) => content);

describe('channels', () => {
  it('are created, joined, described and left', async () => {
    expect(output(await as('Alice', 'channel', 'create', '#build', '--topic', 'the nightly build'))).toBe(
      'Created #build.\n',
    );
    expect(output(await as('Bob', 'channel', 'join', 'build'))).toBe('Joined #build.\n');
    expect(output(await as('Bob', 'channel', 'join', '#BUILD'))).toBe('You are already in #build.\n');
    expect(output(await relay('channel', 'members', 'build'))).toBe('Alice\nBob\n');
    expect(output(await as('Bob', 'channel', 'list'))).toMatch(
      /^NAME +MEMBERS +STATE +TOPIC\n(.*\n)*#build +2 +joined +the nightly build\n/,
    );
    await as('Bob', 'channel', 'topic', 'build', 'the', 'weekly', 'build');
    expect(json(await relay('channel', 'list', '--json'))).toContainEqual(
      expect.objectContaining({
        name: '#build',
        topic: 'the weekly build',
        joined: false,
        createdBy: 'Alice',
      }),
    );
    expect(output(await as('Alice', 'channel', 'invite', 'build', 'Carol'))).toBe('Added Carol to #build.\n');
    expect(output(await as('Bob', 'channel', 'leave', 'build'))).toBe('Left #build.\n');
    expect(output(await as('Bob', 'channel', 'leave', 'build'))).toBe('You were not in #build.\n');
    expect(output(await relay('channel', 'members', '#build'))).toBe('Alice\nCarol\n');
  });

  it('deliver posts to their members only, and posting joins', async () => {
    await as('Bob', 'channel', 'join', 'news', '--create');
    await say('Alice', '#news', 'hear, hear');
    expect(output(await as('Bob', 'inbox', '--channel', 'news'))).toMatch(
      /^Alice → #news .*\n {2}hear, hear\n$/,
    );
    expect(output(await as('Carol', 'inbox', '--channel', 'general'))).toBe('No messages in inbox.\n');
    expect(output(await relay('channel', 'members', 'news'))).toBe('Alice\nBob\n');
    expectFailure(await as('Carol', 'history', '--channel', 'news'), 5, /You are not in #news/, /Join it/);
  });

  it('have everybody in #general', async () => {
    await say('Alice', '#general', 'good morning');
    const { messages } = json(await as('Eve', 'inbox', '--channel', 'general', '--json'));
    expect(messages).toEqual([expect.objectContaining({ from: 'Alice', channel: '#general' })]);
    expectFailure(await as('Eve', 'channel', 'leave', 'general'), 5, /You cannot leave #general/);
    expectFailure(await as('Eve', 'channel', 'archive', 'general'), 5, /cannot be archived/);
  });

  it('that are archived can be read, and written to only after they are reopened', async () => {
    await as('Alice', 'channel', 'create', 'attic');
    await say('Alice', '#attic', 'the last word');
    expect(output(await as('Alice', 'channel', 'archive', 'attic'))).toBe('Archived #attic.\n');
    expectFailure(await as('Alice', 'send', '#attic', 'one more'), 2, /archived/, /archive --undo/);
    expectFailure(await as('Bob', 'channel', 'join', 'attic'), 2, /archived/);
    expect(output(await relay('channel', 'list'))).not.toContain('#attic');
    expect(output(await relay('channel', 'list', '--archived'))).toMatch(/#attic +1 +archived/);
    expect(contents(json(await as('Alice', 'history', '--channel', 'attic', '--json')))).toEqual([
      'the last word',
    ]);
    expect(output(await as('Alice', 'channel', 'archive', 'attic', '--undo'))).toBe('Reopened #attic.\n');
    await say('Alice', '#attic', 'one more');
  });

  it('are joined at the start by RELAY_CHANNELS', async () => {
    const env = { RELAY_CHANNELS: '#early,birds' };
    await daemon.cli(['inbox', '--as', 'Carol'], { env });
    expect(output(await relay('channel', 'members', 'early'))).toBe('Carol\n');
    expect(output(await relay('channel', 'members', 'birds'))).toBe('Carol\n');
    expect((await daemon.cli(['who'], { env })).code).toBe(0);
  });

  it.each<[what: string, args: string[], code: number, message: RegExp, next?: RegExp]>([
    ['an unknown one', ['join', 'genral'], 4, /Did you mean #general\?/, /channel list/],
    ['one that exists', ['create', 'General'], 2, /exists/, /Join/],
    ['a name that is none', ['create', 'a b'], 2, /cannot contain/],
    ['an unknown guest', ['invite', 'general', 'Nobody'], 4, /Nobody/],
    ['no topic', ['topic', 'general'], 2, /missing required argument/i],
  ])('refuse %s', async (_what, args, code, message, next) => {
    expectFailure(await as('Alice', 'channel', ...args), code, message, next);
  });
});

describe('groups, threads and mentions', () => {
  it('a group message reaches each of its members, and an answer all of them', async () => {
    const first: string = json(await as('Alice', 'send', 'Bob, Carol', 'just us three', '--json')).messageId;
    const [message] = json(await as('Carol', 'inbox', '--from', 'Alice', '--json')).messages.slice(-1);
    expect(message).toMatchObject({ id: first, group: ['Alice', 'Bob', 'Carol'], to: 'Bob, Carol' });
    const answer = await as('Carol', 'send', '--reply-to', first, 'agreed');
    expect(output(answer)).toMatch(new RegExp(`^Message sent in reply to ${first} \\(msg_\\w+\\)\\.\n`));
    for (const name of ['Alice', 'Bob']) {
      expect(contents(json(await as(name, 'inbox', '--thread', first, '--json')))).toEqual(['agreed']);
    }
    expect(json(await as('Eve', 'search', 'agreed', '--json'))).toEqual([]);
    expectFailure(await as('Alice', 'send', 'Bob,Nobody', 'x'), 4, /Nobody/);
    expectFailure(await as('Alice', 'send', 'Alice,alice', 'x'), 2, /at least one other agent/);
  });

  it('a thread is shown in full, by its name or by any of its messages', async () => {
    const question = await say('Alice', 'Bob', 'which colour?', { kind: 'question' });
    await as('Bob', 'send', '--reply-to', question, 'blue');
    const last = await say('Alice', 'Bob', 'thank you', { thread: question });
    for (const id of [question, last]) {
      const thread = json(await relay('thread', id, '--json'));
      expect(thread).toMatchObject({ thread: question, more: false });
      expect(contents(thread)).toEqual(['which colour?', 'blue', 'thank you']);
    }
    expect(output(await as('Bob', 'thread', last))).toMatch(
      /^Alice → Bob .*question\n {2}which colour\?\nBob → Alice .*reply to msg_\w+\n {2}blue\n/,
    );
    const { messages } = json(await relay('thread', question, '--limit', '1', '--json'));
    expect(messages).toHaveLength(1);
    expectFailure(await as('Eve', 'thread', question), 4, /or you cannot see it/);
    expectFailure(await as('Eve', 'send', '--reply-to', question, 'me too'), 4, /or you cannot see it/);
    expectFailure(await as('Eve', 'send'), 2, /The message has no recipient/, /--reply-to/);
  });

  it('a mention can be found among all messages', async () => {
    await as('Bob', 'inbox', '--limit', '500');
    await say('Alice', '#general', 'nothing for anybody');
    await say('Alice', '#general', 'could @bob look? mail bob@example.org too, @nobody');
    const { messages } = json(await as('Bob', 'inbox', '--mentions', '--peek', '--json'));
    expect(messages).toEqual([expect.objectContaining({ mentions: ['Bob'] })]);
    expect(contents(json(await as('Eve', 'inbox', '--mentions', '--json')))).toEqual([]);
  });
});

describe('the inbox', () => {
  it('is filtered by thread and kind, and marked read by id', async () => {
    await as('Carol', 'inbox', '--limit', '500');
    const first = await say('Alice', 'Carol', 'do it', { kind: 'directive', thread: 'task-7' });
    const second = await say('Alice', 'Carol', 'as you like');
    expect(contents(json(await as('Carol', 'inbox', '--thread', 'task-7', '--peek', '--json')))).toEqual([
      'do it',
    ]);
    expect(contents(json(await as('Carol', 'inbox', '--kind', 'directive', '--peek', '--json')))).toEqual([
      'do it',
    ]);
    expect(output(await as('Carol', 'read', first, second))).toBe('Marked 2 messages as read.\n');
    expect(output(await as('Carol', 'read', second))).toBe('Already read.\n');
    expect(output(await as('Carol', 'inbox'))).toBe('No messages in inbox.\n');
    expectFailure(await as('Bob', 'read', second), 4, /was delivered to Bob/);
  });

  it('is followed until Ctrl-C; filtered messages stay unread', async () => {
    await as('Carol', 'inbox', '--limit', '500');
    await say('Alice', 'Carol', 'before');
    await using inbox = daemon.startCli(['inbox', '--follow', '--from', 'alice', '--as', 'Carol']);
    await inbox.until(/Alice → Carol .*\n {2}before/);
    await say('Bob', 'Carol', 'from somebody else');
    await say('Alice', 'Carol', 'and after');
    await inbox.until(/Alice → Carol .*\n {2}and after/);
    inbox.child.kill('SIGINT');
    const ended = await inbox.result;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).not.toContain('somebody else');
    expect(contents(json(await as('Carol', 'inbox', '--json')))).toEqual(['from somebody else']);
  });

  it('leaves out what has expired', async () => {
    const { messageId } = json(await as('Alice', 'send', 'Eve', 'quick', '--expires', '1s', '--json'));
    await expect
      .poll(async () => json(await relay('trace', messageId, '--json')).deliveries, { timeout: 10_000 })
      .toEqual([expect.objectContaining({ reason: expect.objectContaining({ code: 'expired' }) })]);
    expect(contents(json(await as('Eve', 'inbox', '--limit', '500', '--json')))).not.toContain('quick');
    expectFailure(await as('Alice', 'send', 'Eve', 'x', '--expires', 'soon'), 2, /such as 10m/);
  });
});

describe('history', () => {
  it('is read page by page, filtered, and as the owner or as one agent', async () => {
    await known(daemon, 'Hanna', 'Hugo');
    for (const text of ['one', 'two', 'three']) await say('Hanna', 'Hugo', text, { thread: 'count' });
    await say('Hugo', 'Hanna', 'four');
    const page = (...args: string[]) => relay('history', '--agent', 'hugo', ...args, '--json').then(json);
    expect(await page()).toMatchObject({ more: false });
    expect(contents(await page())).toEqual(['one', 'two', 'three', 'four']);
    const newest = await page('--limit', '2');
    expect(newest.more).toBe(true);
    expect(contents(newest)).toEqual(['three', 'four']);
    expect(contents(await page('--before', String(newest.messages[0].seq), '--limit', '1'))).toEqual(['two']);
    expect(contents(await page('--after', '0', '--limit', '1'))).toEqual(['one']);
    expect(contents(await page('--thread', 'count'))).toEqual(['one', 'two', 'three']);
    expect(contents(await page('--since', '1h'))).toHaveLength(4);
    expect(contents(await page('--since', '2100-01-01'))).toEqual([]);
    expect(output(await relay('history', '--agent', 'Hugo', '--limit', '1'))).toMatch(
      /^Hugo → Hanna .*\n {2}four\nMore: --before \d+\n$/,
    );
    expect(contents(json(await as('Eve', 'history', '--agent', 'Hugo', '--json')))).toEqual([]);
    expect(contents(json(await as('Hanna', 'history', '--agent', 'Hugo', '--json')))).toHaveLength(4);
  });

  it.each<[what: string, args: string[], code: number, message: RegExp]>([
    ['an unknown agent', ['--agent', 'Nobody'], 4, /Nobody/],
    ['an unknown channel', ['--channel', 'nowhere'], 4, /nowhere/],
    ['a time that is none', ['--since', 'yesterday'], 2, /such as 2h/],
  ])('refuses %s', async (_what, args, code, message) => {
    expectFailure(await relay('history', ...args), code, message);
  });
});

describe('search', () => {
  it('finds words and phrases, filtered, and only what the reader may see', async () => {
    await known(daemon, 'Sven', 'Sara');
    await say('Sven', 'Sara', 'the Zeppelin landed at noon');
    await say('Sara', 'Sven', 'noon? the zeppelin was late');
    const search = (...args: string[]) => relay('search', ...args, '--json').then(json);
    const found = await search('zeppelin', 'noon');
    expect(found.map((hit: { message: { from: string } }) => hit.message.from)).toEqual(['Sara', 'Sven']);
    expect(found[1].highlight).toContain('\u{E000}Zeppelin\u{E001}');
    expect(await search('"zeppelin landed"')).toHaveLength(1);
    expect(await search('zeppelin', '--from', 'Sven')).toHaveLength(1);
    expect(await search('zeppelin', '--limit', '1')).toHaveLength(1);
    expect(await search('zeppelin', '--until', '2020-01-01')).toEqual([]);
    expect(await search('zeppelin', '--since', '1h')).toHaveLength(2);
    expect(await search('zeppelin', '--channel', 'general')).toEqual([]);
    expect(json(await as('Sara', 'search', 'zeppelin', '--json'))).toHaveLength(2);
    expect(output(await as('Eve', 'search', 'zeppelin'))).toBe('No messages found.\n');
    const shown = output(await relay('search', 'landed'));
    expect(shown).toMatch(/^Sven → Sara .*\n {2}the Zeppelin landed at noon\n$/);
  });

  it('treats any input as words, whatever characters it has', async () => {
    for (const query of ['AND', 'a*b OR (', '"open', 'col:x', "it's"]) {
      expect(await relay('search', query)).toMatchObject({ code: 0, stderr: '' });
    }
    expectFailure(await relay('search'), 2, /missing required argument/i);
  });
});

describe('reactions and readers', () => {
  it('are added, shown with the message, and removed', async () => {
    const id = await say('Alice', 'Bob', 'shipped');
    expect(output(await as('Bob', 'react', id, '🎉'))).toBe('🎉 Bob\n');
    expect(output(await as('Alice', 'react', id, '🎉'))).toBe('🎉 Bob, Alice\n');
    expect(output(await as('Alice', 'react', id, ':eyes:'))).toBe('🎉 Bob, Alice\n:eyes: Alice\n');
    expect(output(await as('Bob', 'thread', id))).toMatch(
      / {2}shipped\n {2}🎉 Bob, Alice\n {2}:eyes: Alice\n$/,
    );
    await as('Alice', 'react', id, ':eyes:', '--remove');
    await as('Alice', 'react', id, '🎉', '--remove');
    expect(output(await as('Bob', 'react', id, '🎉', '--remove'))).toBe('The message has no reactions.\n');
    expectFailure(await as('Bob', 'react', id, 'nice'), 2, /one emoji/);
    expectFailure(await as('Eve', 'react', id, '🎉'), 4, /or you cannot see it/);
  });

  it('show who has read a message, and who has not', async () => {
    const id = await say('Alice', ['Bob', 'Carol'], 'please read');
    await as('Bob', 'read', id);
    expect(output(await as('Alice', 'readers', id))).toMatch(/^Bob +read +\S+Z\nCarol +unread\n$/);
    expect(json(await relay('readers', id, '--json'))).toMatchObject({
      readers: [{ agent: 'Bob' }],
      unread: ['Carol'],
    });
    expectFailure(await as('Eve', 'readers', id), 4, /or you cannot see it/);
  });
});

describe('files', () => {
  it('are attached to a message and fetched by those who can see it', async () => {
    const path = join(daemon.directory, 'core dump.bin');
    const content = Buffer.alloc(600_000, 'relay\u0000\u00ff');
    await writeFile(path, content);
    const note = join(daemon.directory, 'note.txt');
    await writeFile(note, 'a note');
    output(await as('Alice', 'send', 'Bob', 'see the files', '--attach', path, '--attach', note));
    const inbox = json(await as('Bob', 'inbox', '--from', 'Alice', '--limit', '500', '--json'));
    const [dump, text] = inbox.messages.at(-1).attachments;
    expect(dump).toMatchObject({ name: 'core dump.bin', size: 600_000 });
    expect(output(await as('Bob', 'history', '--limit', '1'))).toMatch(
      / {2}see the files\n {2}file core dump\.bin \(585\.9 KiB\) att_\w+\n {2}file note\.txt \(6 B\) att_\w+\n/,
    );
    expect(output(await as('Bob', 'attachment', 'get', text.id))).toBe('a note');
    const copy = join(daemon.directory, 'copy.bin');
    expect(output(await as('Bob', 'attachment', 'get', dump.id, '-o', copy))).toContain(` to ${copy}.`);
    expect((await readFile(copy)).equals(content)).toBe(true);
    expectFailure(
      await as('Bob', 'attachment', 'get', dump.id, '-o', copy),
      2,
      /Cannot write \S+: it already exists/,
      /--output/,
    );
    expectFailure(await as('Eve', 'attachment', 'get', dump.id), 4, /or you cannot see it/);
  });

  it.skipIf(!hasTerminals)('are not written to a terminal', async () => {
    const note = join(daemon.directory, 'hostile.txt');
    await writeFile(note, '\u001b]0;owned\u0007');
    output(await as('Alice', 'send', 'Bob', 'look', '--attach', note));
    const { messages } = json(await as('Bob', 'inbox', '--from', 'Alice', '--limit', '500', '--json'));
    const { id } = messages.at(-1).attachments[0];
    const { code, stdout } = await daemon.cli(['attachment', 'get', id], { terminal: true });
    expect(stdout).toMatch(/--output/);
    expect(stdout).not.toContain('owned');
    expect(code).toBe(2);
  });

  it('that are too large or missing are refused, and nothing is sent', async () => {
    const path = join(daemon.directory, 'large.bin');
    await writeFile(path, Buffer.alloc(700_001));
    expectFailure(await as('Alice', 'send', 'Eve', 'big one', '--attach', path), 2, /700000 bytes/, /path/);
    expectFailure(await as('Alice', 'send', 'Eve', 'none', '--attach', `${path}.none`), 2, /no such file\./);
    expectFailure(
      await as('Alice', 'send', 'Eve', 'none', '--attach', daemon.directory),
      2,
      /is a directory\./,
    );
    expect(json(await relay('search', '"big one"', '--json'))).toEqual([]);
  });
});

describe('the command line', () => {
  it('accepts --as, --project and --json before the command too', async () => {
    await say('Alice', 'Bob', 'in front');
    const inbox = json(await relay('--as', 'Bob', '--json', '--project=demo', 'inbox', '--limit', '500'));
    expect(contents(inbox)).toContain('in front');
    expect(json(await relay('--json', 'channel', 'list'))).toContainEqual(
      expect.objectContaining({ name: '#general' }),
    );
    expectFailure(await relay('--as', 'Bob', 'who'), 2, /unknown option '--as'/i);
  });
});
