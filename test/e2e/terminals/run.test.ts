import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive, processMark } from '../../../packages/platform/src/processes/index.ts';
import { connect } from '../../../packages/sdk/src/node/index.ts';
import { PROGRAM } from '../../kit/cli.ts';
import { createSandbox, startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { expectFailure } from '../../kit/results.ts';
import { startTerminal, type TerminalOptions, type TestTerminal } from '../../kit/terminal.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const TERMINAL = { TERM: 'xterm-256color', LANG: 'C.UTF-8', PS1: 'ready$ ' };
const run = (words: string[], options: Partial<TerminalOptions> = {}): TestTerminal =>
  startTerminal([process.execPath, PROGRAM, 'run', ...words], {
    cwd: daemon.projectDirectory,
    ...options,
    env: { ...daemon.env, ...TERMINAL, ...options.env },
  });
const shell = (name: string) => run(['--name', name, '--', 'bash', '--norc', '--noprofile']);
/** The program itself, in a terminal of a shell that shows what is left behind. */
const inShell = (words: string[]): TestTerminal => {
  const command = [process.execPath, PROGRAM, 'run', ...words].map((word) => `'${word}'`).join(' ');
  return startTerminal(
    ['bash', '--norc', '--noprofile', '-c', `${command}; echo "status $?"; stty -a; read -r`],
    {
      cwd: daemon.projectDirectory,
      env: { ...daemon.env, ...TERMINAL },
    },
  );
};

/** A script that the relay takes for Claude Code. */
async function playClaude(...lines: string[]): Promise<string> {
  const program = join(await mkdtemp(join(daemon.directory, 'played-')), 'claude');
  await writeFile(program, `#!/bin/bash\n${lines.join('\n')}\n`, { mode: 0o755 });
  return program;
}

/** A shell, and a program that is run as a job. */
const PROGRAMS = [['bash'], ['env', 'bash']];

describe('a program in agent-relay run', () => {
  it('has its own terminal, which follows changes of size', async () => {
    const script =
      'trap "stty size" WINCH; stty size; test -t 0 && test -t 1 && test -t 2 && echo terminal; while true; do read -r -t 1; done';
    await using terminal = run(['--name', 'Sized', '--', 'bash', '-c', script]);
    await terminal.until(/40 120\nterminal/);
    terminal.resize(90, 30);
    await terminal.until(/30 90/);
  });

  it('is known to the relay, and is the agent for the commands it runs', async () => {
    await using terminal = shell('Known');
    await terminal.until(/ready\$/);
    const agents = JSON.parse((await daemon.cli(['who', '--json'])).stdout);
    expect(agents).toContainEqual(
      expect.objectContaining({
        name: 'Known',
        cli: 'bash',
        paths: [expect.objectContaining({ path: 'pty', state: 'waits' })],
      }),
    );
    terminal.type(`'${process.execPath}' '${PROGRAM}' send Sized hello from the inside\r`);
    await terminal.until(/Message sent to Sized/);
    terminal.type('[[ $RELAY_AGENT_TOKEN = at_* ]] && echo "$RELAY_AGENT_NAME of $RELAY_PROJECT"\r');
    await terminal.until(/^Known of demo$/m);
  });

  it('may run another agent, with its own identity', async () => {
    await using terminal = shell('Outer');
    await terminal.until(/ready\$/);
    const relay = `'${process.execPath}' '${PROGRAM}'`;
    terminal.type(`${relay} run --name Inner -- bash -c "${relay} send Outer hello"\r`);
    await terminal.until(/Message sent to Outer/);
    const { messages } = JSON.parse((await daemon.cli(['history', '--json', '--limit', '1'])).stdout);
    expect(messages).toMatchObject([{ from: 'Inner', to: 'Outer', content: 'hello' }]);
  });

  it('gets no typed messages if the relay does not know its screen', async () => {
    await using terminal = shell('Untouched');
    await terminal.until(/ready\$/);
    const sent = JSON.parse((await daemon.cli(['send', 'Untouched', 'exit 1', '--json'])).stdout);
    const { stdout } = await daemon.cli(['trace', sent.messageId, '--json']);
    expect(JSON.parse(stdout).deliveries[0]).toMatchObject({
      state: 'stored',
      reason: { code: 'unproven', text: 'unproven: bash' },
    });
    terminal.type('echo still here\r');
    await terminal.until(/^still here$/m);
    expect(terminal.screen()).not.toContain('exit 1');
  });

  it('is named after its program by default', async () => {
    await using first = run(['--', 'bash', '--norc', '-c', 'echo "I am $RELAY_AGENT_NAME"; read -r']);
    await first.until(/I am bash$/m);
    await using second = run(['--', 'bash', '--norc', '-c', 'echo "I am $RELAY_AGENT_NAME"; read -r']);
    await second.until(/I am bash-2$/m);
  });

  it.each(['Leader', 'Known'])('joins channels, and becomes the lead, if asked: %s', async (name) => {
    await daemon.cli(['inbox', '--as', 'Known']);
    await using terminal = run([
      '--name',
      name,
      '--lead',
      '--channels',
      'dev,ops',
      '--',
      'bash',
      '-c',
      'echo started; cat',
    ]);
    await terminal.until(/started/);
    await expect
      .poll(async () => JSON.parse((await daemon.cli(['who', '--json'])).stdout))
      .toContainEqual(expect.objectContaining({ name, lead: true }));
    const channels = JSON.parse((await daemon.cli(['channel', 'list', '--json'])).stdout);
    expect(channels.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['#dev', '#ops']),
    );
    terminal.type('\x04');
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it.each(PROGRAMS)('returns its exit code, or its signal as a shell does: %s', async (...words) => {
    for (const [script, code] of [
      ['exit 0', 0],
      ['exit 42', 42],
      ['kill -KILL $$', 137],
      ['kill -TERM $$', 143],
    ] as const) {
      await using terminal = run(['--name', 'Coded', '--', ...words, '-c', script]);
      expect(await terminal.exited, script).toMatchObject({ exitCode: code });
    }
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGUSR1'] as const)('gets %s', async (signal) => {
    for (const words of PROGRAMS) {
      const script = `trap "echo got it; exit 9" ${signal.slice(3)}; echo waiting; while true; do read -r -t 1; done`;
      await using terminal = run(['--name', 'Signalled', '--', ...words, '-c', script]);
      await terminal.until(/waiting/);
      process.kill(terminal.pid, signal);
      expect(await terminal.exited).toMatchObject({ exitCode: 9 });
      expect(terminal.output()).toContain('got it');
    }
  });

  it.runIf(process.platform === 'linux')(
    'is stopped by Ctrl-Z as one job, and continues after fg',
    async () => {
      await using terminal = startTerminal(['bash', '--norc', '--noprofile', '-i'], {
        cwd: daemon.projectDirectory,
        env: { ...daemon.env, ...TERMINAL },
      });
      await terminal.until(/ready\$/);
      terminal.type(`'${process.execPath}' '${PROGRAM}' run --name Pausing -- cat\r`);
      await expect
        .poll(async () => (await daemon.cli(['who', '--json'])).stdout, { timeout: 20_000 })
        .toContain('"Pausing"');
      terminal.type('one\r');
      await terminal.until(/^one\r?\none$/m);
      terminal.type('\x1a');
      await terminal.until(/^\[1\]\+ +Stopped/m);
      await expect.poll(async () => (await daemon.cli(['who'])).stdout).toMatch(/Pausing .*suspended/);
      // The shell has its terminal back.
      terminal.type('echo "here $((1 + 1))"\r');
      await terminal.until(/^here 2$/m);
      terminal.type('fg\r');
      terminal.type('two\r');
      await terminal.until(/^two\r?\ntwo$/m);
      await expect.poll(async () => (await daemon.cli(['who'])).stdout).not.toContain('suspended');
      terminal.type('\x03');
      await terminal.until(/ready\$ ?$/m);
      terminal.type('echo "code $?"\r');
      await terminal.until(/^code 130$/m);
    },
  );

  it('ends with its terminal, even if it ignores signals', async () => {
    const script = 'trap "" HUP TERM; echo "program $$"; while true; do read -r -t 1; done';
    const words = [process.execPath, PROGRAM, 'run', '--name', 'Closed', '--', 'bash', '-c', script];
    const command = words.map((word) => `'${word}'`).join(' ');
    // It holds the terminal that is closed.
    await using terminal = startTerminal(['script', '-qec', command, '/dev/null'], {
      cwd: daemon.projectDirectory,
      env: { ...daemon.env, ...TERMINAL },
    });
    await terminal.until(/program \d+/);
    const pid = Number(/program (\d+)/.exec(terminal.screen())?.[1]);
    const program = { pid, mark: processMark(pid) ?? '' };
    expect(isAlive(program)).toBe(true);
    process.kill(terminal.pid, 'SIGKILL');
    await expect.poll(() => isAlive(program), { timeout: 20_000 }).toBe(false);
    const who = async () => JSON.parse((await daemon.cli(['who', '--all', '--json'])).stdout);
    const run = async () => (await who()).find(({ name }: { name: string }) => name === 'Closed')?.run;
    await expect.poll(run, { timeout: 20_000 }).toMatchObject({ ended: 'its host was stopped by SIGHUP' });
  }, 60_000);

  it('gets every byte a person types, and every byte it writes arrives', async () => {
    const script = 'stty raw -echo; echo start; head -c 256 | od -An -v -tx1 | tr -d " \\n"; echo end';
    await using terminal = run(['--name', 'Bytes', '--', 'bash', '-c', script], { columns: 600 });
    await terminal.until(/start/);
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, code) => code));
    terminal.type(bytes);
    await terminal.until(/end/);
    expect(terminal.screen()).toContain(bytes.toString('hex'));
    await terminal.exited;
    // A bare line feed stays one: a full-screen program moves the cursor with it.
    await using other = run([
      '--name',
      'Bytes',
      '--',
      'bash',
      '-c',
      'stty -opost; printf "a\\nb\\033[31mc\\033[m\\r\\n"',
    ]);
    await other.exited;
    expect(other.output()).toBe('a\nb\x1b[31mc\x1b[m\r\n');
  });

  it('may be a full-screen editor', async () => {
    const status = 'set laststatus=2 statusline=%f:%{&columns}';
    await using terminal = run([
      '--name',
      'Editor',
      '--',
      'vim',
      '-u',
      'NONE',
      '-N',
      '-c',
      status,
      'note.txt',
    ]);
    await terminal.until(/note\.txt:120/);
    terminal.type('ihello from vim\x1b');
    await terminal.until(/hello from vim/);
    terminal.resize(70, 20);
    await terminal.until(/note\.txt:70/);
    terminal.type(':wq\r');
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(daemon.projectDirectory, 'note.txt'), 'utf8')).toBe('hello from vim\n');
    expect(terminal.emulator.buffer.active.type).toBe('normal');
  });

  it('leaves the terminal as it was, even if it is killed', async () => {
    const modes =
      '\\033[31m\\033[2;6r\\033[4h\\033[20h\\033=\\033(0\\033[?1049h\\033[?1003h\\033[?2004h\\033[?25l\\033[>1u';
    await using terminal = inShell([
      '--name',
      'Killed',
      '--',
      'bash',
      '-c',
      `printf "${modes}gone"; kill -KILL $$`,
    ]);
    await terminal.until(/status 137/);
    await terminal.until(/icanon/);
    expect(terminal.screen()).toMatch(/^opost .*\nisig icanon iexten echo /m);
    expect(terminal.emulator.buffer.active.type).toBe('normal');
    expect(terminal.emulator.modes).toMatchObject({
      ...{ bracketedPasteMode: false, mouseTrackingMode: 'none' },
      ...{ insertMode: false, applicationKeypadMode: false },
    });
    expect(terminal.emulator.options.convertEol).toBe(false);
    expect(terminal.output()).toContain('gone\u001b[<1u');
    expect(terminal.output()).toContain('\u001b7\u001b[r\u001b8\u001b(B');
    expect(terminal.output().split('gone')[1]).toContain('\u001b[0m');
  });

  it('ends the commands of an agent that ends with its terminal', async () => {
    const program = await playClaude('setsid -w sleep 600 & echo "command $!"; wait');
    const words = [process.execPath, PROGRAM, 'run', '--name', 'Left', '--', program];
    const command = words.map((word) => `'${word}'`).join(' ');
    await using terminal = startTerminal(['script', '-qec', command, '/dev/null'], {
      cwd: daemon.projectDirectory,
      env: { ...daemon.env, ...TERMINAL },
    });
    await terminal.until(/command \d+/);
    const pid = Number(/command (\d+)/.exec(terminal.screen())?.[1]);
    const left = { pid, mark: processMark(pid) ?? '' };
    expect(isAlive(left)).toBe(true);
    process.kill(terminal.pid, 'SIGKILL');
    await expect.poll(() => isAlive(left), { timeout: 20_000 }).toBe(false);
  }, 60_000);

  it.each([
    'Claude Code has been suspended. Run `fg` to bring it back.',
    'Claude Code is suspended. Run `fg` to bring it back.',
  ])('is suspended together with the relay, and resumed by one fg: %s', async (notice) => {
    // It says what Claude Code says, and cannot stop by itself either.
    const program = await playClaude(
      'trap "echo back; trap : CONT" CONT',
      `echo '${notice}'`,
      'until read -r word; do :; done; echo "heard $word"; read -r',
    );
    await using terminal = startTerminal(['bash', '--norc', '--noprofile', '-i'], {
      cwd: daemon.projectDirectory,
      env: { ...daemon.env, ...TERMINAL },
    });
    await terminal.until(/ready\$/);
    terminal.type(`'${process.execPath}' '${PROGRAM}' run --name Paused -- '${program}'\r`);
    await terminal.until(/Stopped/);
    terminal.type('fg\r');
    await terminal.until(/^back$/m);
    terminal.type('hello\r');
    await terminal.until(/^heard hello$/m);
    expect(terminal.output().match(/Stopped/g)).toHaveLength(1);
  });

  it('leaves no files of its run behind', async () => {
    await using terminal = run(['--name', 'Tidy', '--', 'bash', '-c', 'exit 0']);
    await terminal.exited;
    expect(await readdir(join(daemon.dataDirectory, 'runs'))).toEqual([]);
  });
});

describe('a name that is already running', () => {
  const starting = (name: string, mark: string) =>
    run([
      '--name',
      name,
      '--',
      'bash',
      '-c',
      `echo here > '${join(daemon.directory, mark)}'; echo started; read -r`,
    ]);

  it('is refused: the program is not started, and the error says where the other one runs', async () => {
    await using first = starting('Bea', 'first');
    await first.until(/started/);
    await using second = starting('Bea', 'second');
    expect(await second.exited).toMatchObject({ exitCode: 2 });
    expect(second.output()).toMatch(
      new RegExp(`error: Bea is already running \\(bash, pid ${first.pid}, in /dev/[\\w/]+\\)`),
    );
    expect(second.output()).toMatch(/next: Choose another name with --name, or .*agent-relay attach Bea/);
    expect(existsSync(join(daemon.directory, 'second'))).toBe(false);
    const { stdout } = await daemon.cli(['who', '--json']);
    const bea = JSON.parse(stdout).find(({ name }: { name: string }) => name === 'Bea');
    expect(bea).toMatchObject({ status: expect.stringMatching(/active|idle/), run: { state: 'waiting' } });
    first.type('\r');
    await first.exited;
    await using third = starting('Bea', 'third');
    await third.until(/started/);
  });

  it('is run by one of two that start at once', async () => {
    const both = [starting('Race', 'one'), starting('Race', 'two')];
    const outcomes = await Promise.all(
      both.map((terminal) =>
        Promise.race([
          terminal.until(/started/).then(() => 'started'),
          terminal.exited.then(({ exitCode }) => `exit ${exitCode}`),
        ]),
      ),
    );
    expect(outcomes.sort()).toEqual(['exit 2', 'started']);
    for (const terminal of both) await terminal[Symbol.asyncDispose]();
  });

  it('keeps its program after a restart of the daemon', async () => {
    await using first = starting('Stays', 'stays');
    await first.until(/started/);
    const runOf = async () =>
      JSON.parse((await daemon.cli(['who', '--all', '--json'])).stdout).find(
        ({ name }: { name: string }) => name === 'Stays',
      );
    await expect.poll(async () => (await runOf())?.run?.state).toBe('waiting');
    await daemon.kill9();
    await daemon.start();
    await using second = starting('Stays', 'not');
    expect(await second.exited).toMatchObject({ exitCode: 2 });
    await expect.poll(async () => (await runOf())?.status, { timeout: 20_000 }).not.toBe('offline');
    expect((await runOf()).run.endedAt).toBeUndefined();
    first.type('\r');
    expect(await first.exited).toMatchObject({ exitCode: 0 });
    await expect.poll(async () => (await runOf()).run.exit, { timeout: 20_000 }).toEqual({ code: 0 });
  });
});

describe('agent-relay run', () => {
  it('does not start the program without a daemon', async () => {
    await using sandbox = await createSandbox();
    const options = { cwd: sandbox.projectDirectory, env: { ...sandbox.env, ...TERMINAL } };
    const mark = join(sandbox.directory, 'started');
    await using terminal = startTerminal([process.execPath, PROGRAM, 'run', '--', 'touch', mark], options);
    expect(await terminal.exited).toMatchObject({ exitCode: 3 });
    expect(terminal.output()).toMatch(/next: .*agent-relay daemon start/);
    expect(existsSync(mark)).toBe(false);
  });

  it('says that the agent was released, below what its program has drawn', async () => {
    const draw = String.raw`printf 'composer\nfooter\033[A'; cat`;
    await using terminal = run(['--name', 'Freed', '--', 'bash', '-c', draw]);
    await terminal.until(/footer/);
    await expect.poll(async () => (await daemon.cli(['release', 'Freed'])).code, { timeout: 20_000 }).toBe(0);
    await terminal.exited;
    expect(terminal.screen()).toMatch(/^composer\s*note: Freed was released\.\s*$/);
  });

  it('needs a daemon as spawn does, which does not say that it starts anything', async () => {
    await using sandbox = await createSandbox();
    const options = { cwd: sandbox.projectDirectory, env: { ...sandbox.env, ...TERMINAL } };
    await using terminal = startTerminal([process.execPath, PROGRAM, 'spawn', 'Tests', 'claude'], options);
    expect(await terminal.exited).toMatchObject({ exitCode: 3 });
    expect(terminal.output()).toMatch(/^error: No daemon is running/);
  });

  it('reports a missing program', async () => {
    await using terminal = run(['--', 'no-such-cli']);
    expect(await terminal.exited).toMatchObject({ exitCode: 4 });
    expect(terminal.output()).toContain('Program not found: no-such-cli.');
  });

  it('suggests --name if --as is used', async () => {
    for (const args of [
      ['run', '--as', 'Ada', '--', 'true'],
      ['--as', 'Ada', 'run', '--', 'true'],
    ])
      expectFailure(await daemon.cli(args), 2, /run has no option --as\./, /with: --name Ada\n/);
  });

  it('needs a terminal', async () => {
    const { code, stderr } = await daemon.cli(['run', '--', 'cat']);
    expect(code).toBe(2);
    expect(stderr).toContain('needs a terminal');
  });

  it('continues without the daemon, and reconnects when it is back', async () => {
    await using own = await startDaemon();
    const options = { cwd: own.projectDirectory, env: { ...own.env, ...TERMINAL } };
    const words = ['run', '--name', 'Steady', '--', 'bash', '--norc', '--noprofile'];
    await using terminal = startTerminal([process.execPath, PROGRAM, ...words], options);
    await terminal.until(/ready\$/);
    await own.kill9();
    terminal.type('echo alone\r');
    await terminal.until(/^alone$/m);
    await own.start();
    await using owner = await connect({ env: own.env, cwd: own.projectDirectory });
    await expect.poll(() => owner.who()).toContainEqual(expect.objectContaining({ name: 'Steady' }));
    terminal.type('exit 5\r');
    expect(await terminal.exited).toMatchObject({ exitCode: 5 });
  });
});
