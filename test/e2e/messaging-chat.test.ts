import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { client, expectFailure, json, known, output } from './messaging-commands.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
  await known(daemon, 'Alice', 'Petra');
});
afterAll(() => daemon[Symbol.asyncDispose]());

describe('chat', () => {
  it('sends what is typed, shows what comes, and counts it as read', async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    await alice.send('#general', 'an earlier word');
    await using chat = daemon.startCli(['chat', '--as', 'Petra']);
    await chat.until(/#general, as Petra\.[\s\S]*Alice\n {2}an earlier word\n/);
    chat.child.stdin?.write('hello from the terminal\n');
    await expect
      .poll(async () => (await alice.inbox()).messages)
      .toEqual([
        expect.objectContaining({ from: 'Petra', to: '#general', content: 'hello from the terminal' }),
      ]);
    await alice.send('#general', 'welcome\u001b[2J');
    await chat.until(/Alice\n {2}welcome\u{FFFD}\[2J\n/u);
    await alice.send('Petra', 'psst', { kind: 'question' });
    await chat.until(/Alice → Petra \[question\]\n {2}psst\n/);
    chat.child.stdin?.write('/join Alice\n');
    await chat.until(/Alice, as Petra\.[\s\S]*Alice \[question\]\n {2}psst\n/);
    chat.child.stdin?.write('yes?\n/who\n/nonsense\n/join\n/join #nowhere\n/help\n');
    await chat.until(
      /Alice active[\s\S]*There is no \/nonsense[\s\S]*\/join needs a channel or a name\.[\s\S]*error: .*#nowhere[\s\S]*\/quit/,
    );
    chat.child.stdin?.write('/quit\n');
    expect(await chat.result).toMatchObject({ code: 0, stderr: '' });
    expect((await alice.inbox()).messages).toMatchObject([{ to: 'Alice', content: 'yes?' }]);
    expect(output(await daemon.cli(['inbox', '--as', 'Petra']))).toBe('No messages in inbox.\n');
  });

  it('ends with its input, or by Ctrl-C, which is its success', async () => {
    output(await daemon.cli(['chat', 'Alice', '--as', 'Petra'], { input: 'only this\n' }));
    expect(json(await daemon.cli(['search', '"only this"', '--json']))).toHaveLength(1);
    await using chat = daemon.startCli(['chat', '--as', 'Petra']);
    await chat.until(/as Petra/);
    chat.child.kill('SIGINT');
    expect(await chat.result).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('is not for what is neither a channel nor an agent of the project', async () => {
    expectFailure(await daemon.cli(['chat', '#nowhere']), 4, /nowhere/);
    expectFailure(await daemon.cli(['chat', 'Nobody']), 4, /Nobody/);
    for (const where of ['*', 'other:Alice', 'lead']) {
      expectFailure(await daemon.cli(['chat', where]), 2, /neither a channel nor an agent/);
    }
  });
});

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

describe.skipIf(!hasTmux)('chat in a real terminal (needs the package tmux)', () => {
  it('keeps the line that is being written while messages come, and leaves by Ctrl-C', async () => {
    const socket = join(daemon.directory, 'tmux');
    const tmux = async (...args: string[]) =>
      (await promisify(execFile)('tmux', ['-S', socket, '-f', '/dev/null', ...args], { env: daemon.env }))
        .stdout;
    const screen = () => tmux('capture-pane', '-p', '-t', 'chat');
    const shows = (pattern: RegExp) => expect.poll(screen, { timeout: 15_000 }).toMatch(pattern);
    const command = `${process.execPath} ${PROGRAM} chat --as Petra; echo "ended with $?"; sleep 60`;
    await using alice = await client(daemon, { name: 'Alice' });
    try {
      await tmux(
        'new-session',
        '-d',
        '-s',
        'chat',
        '-x',
        '60',
        '-y',
        '20',
        '-c',
        daemon.projectDirectory,
        command,
      );
      await shows(/#general> *\n/);
      // Longer than the screen is wide, so that the line takes two rows.
      const draft = 'half a thought that goes on and on and on until it needs more room';
      await tmux('send-keys', '-t', 'chat', '-l', draft);
      await shows(/needs\s+more room/);
      await alice.send('#general', 'first');
      await alice.send('#general', 'second');
      await shows(/Alice\n {2}first\n\d\d:\d\d Alice\n {2}second\n#general> half a thought that goes on/);
      expect((await screen()).match(/half a thought/g)).toHaveLength(1);
      await tmux('send-keys', '-t', 'chat', 'Enter');
      await expect
        .poll(async () => (await alice.inbox({ markRead: false })).messages)
        .toContainEqual(expect.objectContaining({ from: 'Petra', content: draft }));
      await tmux('send-keys', '-t', 'chat', 'C-c');
      await shows(/ended with 0/);
    } finally {
      await tmux('kill-server');
    }
  });
});
