import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
import { client, known } from './commands.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
  await known(daemon, 'Alice', 'Petra');
});
afterAll(() => daemon[Symbol.asyncDispose]());

describe('chat', () => {
  it('sends what is typed, shows new messages, and marks them as read', async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    await alice.send('#general', 'an earlier word');
    await using chat = daemon.startCli(['chat', '--as', 'Petra']);
    await chat.until(/#general, as Petra\.[\s\S]*Alice \[1\]\n {2}an earlier word\n/);
    chat.child.stdin?.write('hello from the terminal\n');
    await expect
      .poll(async () => (await alice.inbox()).messages)
      .toEqual([
        expect.objectContaining({ from: 'Petra', to: '#general', content: 'hello from the terminal' }),
      ]);
    await alice.send('#general', 'welcome\u001b[2J');
    await chat.until(/Alice \[3\]\n {2}welcome\u{FFFD}\[2J\n/u);
    await alice.send('Petra', 'psst', { kind: 'question' });
    await chat.until(/Alice → Petra \[question\] \[4\]\n {2}psst\n/);
    chat.child.stdin?.write('/join Alice\n');
    await chat.until(/Alice, as Petra\.[\s\S]*Alice \[question\] \[4\]\n {2}psst\n/);
    chat.child.stdin?.write('yes?\n/who\n/nonsense\n/join\n/join #nowhere\n/help\n');
    await chat.until(
      /Alice active[\s\S]*Unknown command \/nonsense\.[\s\S]*\/join needs an argument\.[\s\S]*error: .*#nowhere[\s\S]*\/quit/,
    );
    chat.child.stdin?.write('/quit\n');
    expect(await chat.result).toMatchObject({ code: 0, stderr: '' });
    expect((await alice.inbox()).messages).toMatchObject([{ to: 'Alice', content: 'yes?' }]);
    expect(output(await daemon.cli(['inbox', '--as', 'Petra']))).toBe('No messages in inbox.\n');
  });

  it('shows the same in two terminals of one person', async () => {
    await known(daemon, 'Tom');
    await using alice = await client(daemon, { name: 'Alice' });
    await using first = daemon.startCli(['chat', 'Alice', '--as', 'Tom']);
    await using second = daemon.startCli(['chat', 'Alice', '--as', 'Tom']);
    await Promise.all([first, second].map((chat) => chat.until(/Alice, as Tom\./)));
    await alice.send('Tom', 'for both');
    await Promise.all([first, second].map((chat) => chat.until(/Alice \[1\]\n {2}for both\n/)));
  });

  it('replies, reacts, and shows who has read what', async () => {
    await known(daemon, 'Rita', 'Sam');
    await using rita = await client(daemon, { name: 'Rita' });
    await rita.watch();
    const { messageId } = await rita.send('Sam', 'Which colour, @Sam?');
    await using chat = daemon.startCli(['chat', 'Rita', '--as', 'Sam']);
    await chat.until(/Rita \[1\]\n {2}Which colour, @Sam\?\n/);
    chat.child.stdin?.write('/reply 1 Blue.\n');
    await chat.until(/\[2\] sent\n/);
    const reply = { from: 'Sam', content: 'Blue.', replyTo: messageId };
    await expect.poll(async () => (await rita.inbox({ markRead: false })).messages).toMatchObject([reply]);
    chat.child.stdin?.write('/readers\n');
    await chat.until(/\[2\] unread by Rita\n/);
    await rita.inbox();
    await chat.until(/\[2\] read by Rita\n/);
    chat.child.stdin?.write('/react :eyes:\n');
    await chat.until(/\[1\] :eyes: Sam\n/);
    await rita.reply((await rita.history({ agent: 'Sam' })).messages.at(-1)?.id ?? '', 'Good.');
    await chat.until(/Rita \[3\] reply to 2\n {2}Good\.\n/);
    await rita.react((await rita.history({ agent: 'Sam' })).messages.at(-2)?.id ?? '', '👍');
    await chat.until(/\[2\] 👍 Rita\n/u);
    chat.child.stdin?.write('/reply 99 what?\n/reply 1\n');
    await chat.until(/error: There is no message 99 here\.[\s\S]*\/reply needs an argument\./);
    // It is shown again after reopening the chat.
    await using again = daemon.startCli(['chat', 'Rita', '--as', 'Sam']);
    await again.until(/Sam \[2\] reply to 1\n {2}Blue\.\n[\s\S]*\[2\] read by Rita\n/);
  });

  it('says who is mentioned but not in the channel', async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    await alice.channels.create('#small');
    await using chat = daemon.startCli(['chat', '#small', '--as', 'Petra']);
    chat.child.stdin?.write('@Alice and @Petra, look\n');
    await chat.until(/\[1\] sent/);
    await using _bob = await client(daemon, { name: 'Bob' });
    chat.child.stdin?.write('@Bob, look\n');
    await chat.until(/\[2\] not in the channel, so they do not get it: Bob\n/);
    chat.child.stdin?.write('/quit\n');
    expect((await chat.result).stdout).not.toContain('do not get it: Alice');
  });

  it('ends with its input or by Ctrl-C, with exit code 0', async () => {
    output(await daemon.cli(['chat', 'Alice', '--as', 'Petra'], { input: 'only this\n' }));
    expect(json(await daemon.cli(['search', '"only this"', '--json']))).toHaveLength(1);
    await using chat = daemon.startCli(['chat', '--as', 'Petra']);
    await chat.until(/as Petra/);
    chat.child.kill('SIGINT');
    expect(await chat.result).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('refuses what is neither a channel nor an agent of the project', async () => {
    expectFailure(await daemon.cli(['chat', '#nowhere']), 4, /nowhere/);
    expectFailure(await daemon.cli(['chat', 'Nobody']), 4, /Nobody/);
    for (const where of ['*', 'other:Alice', 'lead']) {
      expectFailure(await daemon.cli(['chat', where]), 2, /neither a channel nor an agent/);
    }
  });
});

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

describe.skipIf(!hasTmux)('chat in a real terminal (needs the package tmux)', () => {
  it('wraps between words, highlights mentions and completes by Tab', async () => {
    await using terminal = await openTerminal(['chat', '--as', 'Petra'], 40);
    await using alice = await client(daemon, { name: 'Alice' });
    await terminal.shows(/#general> *\n/);
    await alice.send('#general', 'The integration environment of @Petra is unavailable until tomorrow.');
    await terminal.shows(
      /\n {2}The integration environment of @Petra\n {2}is unavailable until tomorrow\.\n/,
    );
    // Bold and yellow for the person who reads.
    expect(await terminal.screen('-e')).toMatch(/\[(1m.\[33m|1;33m)@Petra/);
    await terminal.type('ask @Al', 'Tab');
    await terminal.shows(/#general> ask @Alice *$/m);
    await terminal.type('for it', 'Enter');
    await expect
      .poll(async () => (await alice.inbox({ markRead: false })).messages)
      .toContainEqual(expect.objectContaining({ content: 'ask @Alice for it', mentions: ['Alice'] }));
    await terminal.type('/rep', 'Tab');
    await terminal.shows(/#general> \/reply *$/m);
  });

  it('keeps the typed line while messages arrive, and ends by Ctrl-C', async () => {
    await using terminal = await openTerminal(['chat', '--as', 'Petra'], 60);
    await using alice = await client(daemon, { name: 'Alice' });
    await terminal.shows(/#general> *\n/);
    // Longer than the screen is wide, so that the line takes two rows.
    const draft = 'half a thought that goes on and on and on until it needs more room';
    await terminal.type(draft);
    await terminal.shows(/needs\s+more room/);
    await alice.send('#general', 'first');
    await alice.send('#general', 'second');
    await terminal.shows(
      /Alice \[\d+\]\n {2}first\n\d\d:\d\d Alice \[\d+\]\n {2}second\n#general> half a thought that goes on/,
    );
    expect((await terminal.screen()).match(/half a thought/g)).toHaveLength(1);
    await terminal.type('', 'Enter');
    await expect
      .poll(async () => (await alice.inbox({ markRead: false })).messages)
      .toContainEqual(expect.objectContaining({ from: 'Petra', content: draft }));
    await terminal.type('', 'C-c');
    await terminal.shows(/ended with 0/);
  });
});

interface Terminal extends AsyncDisposable {
  /** The current screen; with `-e`, including colors. */
  screen(...options: string[]): Promise<string>;
  shows(pattern: RegExp): Promise<void>;
  /** Types text, then presses a key. */
  type(text: string, key?: string): Promise<void>;
}

/** The command in a real terminal with this many columns. */
async function openTerminal(args: string[], columns: number): Promise<Terminal> {
  const socket = join(daemon.directory, `tmux-${columns}`);
  const tmux = async (...words: string[]) =>
    (await promisify(execFile)('tmux', ['-S', socket, '-f', '/dev/null', ...words], { env: daemon.env }))
      .stdout;
  const command = `${process.execPath} ${PROGRAM} ${args.join(' ')}; echo "ended with $?"; sleep 60`;
  const size = ['-x', String(columns), '-y', '24', '-c', daemon.projectDirectory];
  await tmux('new-session', '-d', '-s', 'chat', ...size, command);
  const screen = (...options: string[]) => tmux('capture-pane', '-p', ...options, '-t', 'chat');
  return {
    screen,
    shows: (pattern) => expect.poll(() => screen(), { timeout: 15_000 }).toMatch(pattern),
    async type(text, key) {
      if (text !== '') await tmux('send-keys', '-t', 'chat', '-l', text);
      if (key !== undefined) await tmux('send-keys', '-t', 'chat', key);
    },
    [Symbol.asyncDispose]: async () => void (await tmux('kill-server')),
  };
}
