import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { notesIn, SCRIPTED_CLI } from '../../kit/scripted-cli.ts';
import { startTerminal, type TerminalOptions, type TestTerminal } from '../../kit/terminal.ts';
import { client } from '../messaging/commands.ts';

const POLL = { timeout: 30_000, interval: 50 };
const DETACH = '\x1dd';
const HOLD = '\x1dh';
const TAKE = '\x1dt';

let daemon: TestDaemon;
let log: string;
let made = 0;
beforeAll(async () => {
  const shell = { command: ['bash', '--norc', '--noprofile'], screen: { composer: '^never' } };
  daemon = await startDaemon({ settings: { clis: { ...SCRIPTED_CLI, shell } } });
});
afterAll(() => daemon[Symbol.asyncDispose]());
afterEach(async () => void (await daemon.cli(['release', '--all'])));

const relay = (words: string[], options: Partial<TerminalOptions> = {}): TestTerminal =>
  startTerminal([process.execPath, PROGRAM, ...words], {
    ...{ cwd: daemon.projectDirectory, columns: 100, rows: 30, ...options },
    env: { ...daemon.env, TERM: 'xterm-256color', LANG: 'C.UTF-8', PS1: 'ready$ ', ...options.env },
  });
const attach = (name: string, words: string[] = [], options: Partial<TerminalOptions> = {}) =>
  relay(['attach', name, ...words], options);
const spawn = async (name: string, cli = 'scripted', more: NodeJS.ProcessEnv = {}) => {
  log = join(daemon.directory, `attach-notes-${++made}`);
  const env = { SCRIPTED_LOG: log, PS1: 'ready$ ', ...more };
  const { code, stderr } = await daemon.cli(['spawn', name, cli, '--wait', '3s'], { env });
  expect(stderr).toBe('');
  expect(code).toBe(0);
};
/** Switches every mode that a viewer's terminal gets, as a command of a shell. */
const SWITCH_MODES =
  "printf '\\e[?1;5;6;45;1000;1003;1006;1004;2004h\\e[?7;25l\\e[4h\\e=\\e[5;9r\\e[5 q\\e[>1u\\e[?1049h\\e[>3u\\e[>4;2m\\e[31m'\r";
/** The modes of a person's terminal, as far as it says. */
const modesOf = ({ emulator }: TestTerminal) => ({ ...emulator.modes, screen: emulator.buffer.active.type });
/** Its terminal as one more viewer has it. */
const view = async (name: string, { release = false } = {}) => {
  await using owner = await client(daemon);
  const size = { columns: 80, rows: 24, onOutput: () => undefined };
  const viewer = await owner.terminals.attach(name, size);
  if (release) await viewer.hold(false);
  return viewer.state;
};
const who = async (name: string) =>
  JSON.parse((await daemon.cli(['who', '--json'])).stdout).find((one: { name: string }) => one.name === name);

describe('agent-relay attach', () => {
  it('shows the terminal, passes on keys, and does not affect the agent when it detaches', async () => {
    await spawn('Seen');
    await using viewer = attach('Seen');
    await viewer.until(/^Scripted CLI$[\s\S]*^you>/m);
    viewer.type('say hello');
    await viewer.until(/^you> say hello$/m);
    viewer.type('\r');
    await viewer.until(/^hello$/m);
    viewer.type(DETACH);
    await viewer.until(/^\[detached from Seen\]$/m);
    expect(await viewer.exited).toMatchObject({ exitCode: 0 });
    expect(await notesIn(log)).toContainEqual({ turn: 'say hello' });
    expect((await who('Seen')).run.state).toBe('ready');
    const audit = (await daemon.cli(['audit', '--json'])).stdout;
    expect(audit).toContain('terminal.attached');
  });

  it('answers a question that only a person may answer, and the task follows', async () => {
    await spawn('Trusting', 'scripted', { SCRIPTED_TRUST: '1' });
    await daemon.cli(['send', 'Trusting', 'say thanks']);
    await using viewer = attach('Trusting');
    await viewer.until(/Trust this folder\?/);
    viewer.type('y');
    await viewer.until(/^thanks$/m);
  });

  it("has the size of the writer's terminal, at least 80 × 24, and replays scrolled lines", async () => {
    await spawn('Sized', 'shell');
    await using viewer = attach('Sized');
    await viewer.until(/ready\$/);
    viewer.type('seq 1 200; stty size\r');
    await viewer.until(/^30 100$/m);
    viewer.resize(120, 35);
    // The terminal hears of it by a signal, the program a little later.
    viewer.type('until [[ $(stty size) = "35 120" ]]; do read -rt 0.1; done; echo "now $(stty size)"\r');
    await viewer.until(/^now 35 120$/m);
    viewer.type(DETACH);
    await viewer.exited;
    await using again = attach('Sized', [], { columns: 60, rows: 12 });
    await again.until(/ready\$/);
    again.type('stty size\r');
    await again.until(/^24 80$/m);
    await again.until(/Sized · driving · Ctrl-\] d detaches/);
    again.type(DETACH);
    await again.exited;
    await using same = attach('Sized', [], { columns: 80, rows: 24 });
    await same.until(/^24 80$/m);
    const { normal } = same.emulator.buffer;
    const lines = Array.from({ length: normal.length }, (_, row) =>
      normal.getLine(row)?.translateToString(true),
    );
    expect(lines).toEqual(expect.arrayContaining(['150', '199', '200']));
  });

  it('lets one type at a time; the others watch, or take over', async () => {
    await spawn('Shared', 'shell');
    await using first = attach('Shared');
    await first.until(/ready\$/);
    const refused = attach('Shared', ['--drive']);
    await refused.until(/typing in the terminal of Shared[\s\S]*--watch/);
    expect((await refused.exited).exitCode).toBe(2);
    await using second = attach('Shared', [], { columns: 130, rows: 40 });
    await second.until(/ready\$[\s\S]*Watching; someone else types · Ctrl-\] t takes over/);
    second.type('echo from the second\r');
    first.type('echo from the first\r');
    await second.until(/^from the first$/m);
    expect(second.screen()).not.toContain('from the second');
    second.type(TAKE);
    second.type('echo now the second\r');
    await first.until(/^now the second$/m);
    first.type('echo too late\r');
    second.type('echo "now $(stty size)"\r');
    await second.until(/^now 40 130$/m);
    expect(second.screen()).not.toContain('too late');
  });

  it('holds messages only while a viewer asks for it', async () => {
    await spawn('Held');
    await using viewer = attach('Held', ['--watch']);
    await viewer.until(/^you>/m);
    await daemon.cli(['send', 'Held', 'say first']);
    await viewer.until(/^first$/m);
    viewer.type(HOLD);
    await expect.poll(async () => (await who('Held')).paths[0]?.reason?.code, POLL).toBe('held_by_viewer');
    const { messageId } = JSON.parse((await daemon.cli(['send', 'Held', 'say second', '--json'])).stdout);
    const { deliveries } = JSON.parse((await daemon.cli(['trace', messageId, '--json'])).stdout);
    expect(deliveries[0]).toMatchObject({ state: 'stored', reason: { code: 'held_by_viewer' } });
    viewer.type(DETACH);
    await viewer.exited;
    await expect.poll(() => notesIn(log), POLL).toContainEqual({ answer: 'second' });
  });

  it('holds messages whatever else they wait for, and says so first', async () => {
    await spawn('First', 'shell');
    const reason = async () => (await who('First')).paths[0]?.reason?.code;
    await expect.poll(reason, POLL).toBe('unknown_screen');
    await using viewer = attach('First');
    await viewer.until(/ready\$/);
    viewer.type(HOLD);
    await viewer.until(/Messages are held · Ctrl-\] h delivers them/);
    await expect.poll(reason, POLL).toBe('held_by_viewer');
    viewer.type(HOLD);
    await viewer.until(/Messages are delivered again/);
    await expect.poll(reason, POLL).toBe('unknown_screen');
  });

  it('still holds messages after the daemon was killed', async () => {
    await spawn('Kept');
    await using viewer = attach('Kept', [], { columns: 90, rows: 26 });
    await viewer.until(/^you>/m);
    viewer.type(HOLD);
    await viewer.until(/Messages are held/);
    await daemon.cli(['send', 'Kept', 'say too early']);
    await daemon.kill9();
    await daemon.start();
    const reason = async () => (await who('Kept'))?.paths[0]?.reason?.code;
    await expect.poll(reason, POLL).toBe('held_by_viewer');
    // Of the viewer, once it is back.
    await expect.poll(async () => (await view('Kept')).viewers, POLL).toBe(2);
    // Nobody else can release it, so it is that of the viewer, and not only kept for it.
    expect(await view('Kept', { release: true })).toMatchObject({ held: true });
    expect(await notesIn(log)).not.toContainEqual({ answer: 'too early' });
    viewer.type(HOLD);
    await expect.poll(() => notesIn(log), POLL).toContainEqual({ answer: 'too early' });
  });

  it('shows the keys to detach in a terminal of the same size', async () => {
    await spawn('Way', 'shell');
    await using viewer = attach('Way', [], { columns: 80, rows: 24 });
    await viewer.until(
      /ready\$[\s\S]* Ctrl-\] d detaches · Ctrl-\] h holds messages · Ctrl-\] \? shows all keys/,
    );
    viewer.type('\x1d?');
    await viewer.until(/Ctrl-\] then: d detach · h hold messages · t take over/);
    viewer.type('echo $((6 * 7))\r');
    await viewer.until(/^42$/m);
    // It goes by itself, and leaves the screen as it was.
    await viewer.until((screen) => !screen.includes('Ctrl-]'));
    const { stdout } = await daemon.cli(['attach', '--help']);
    for (const key of ['d', 'h', 't', '?', 'Ctrl-]']) expect(stdout).toContain(`Ctrl-] ${key} `);
  });

  it('shows what is typed beyond the edge of a narrow terminal', async () => {
    await spawn('Narrow', 'shell');
    await using viewer = attach('Narrow', [], { columns: 40, rows: 15 });
    await viewer.until(/ready\$[\s\S]*Ctrl-\] d detaches/);
    viewer.type('echo aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd "the end"');
    await viewer.until(/dddddddddd "the end"$/m);
    viewer.type(HOLD);
    await viewer.until(/Messages held · Ctrl-\] h delivers/);
  });

  it('needs a terminal', async () => {
    const { code, stderr } = await daemon.cli(['attach', 'Nobody']);
    expect(code).toBe(2);
    expect(stderr).toContain('agent-relay attach needs a terminal.');
  });

  it("watches an agent in a person's terminal, can take over, and returns it to the person", async () => {
    await using own = relay(['run', '--name', 'Bea', '--', 'bash', '--norc', '--noprofile']);
    await own.until(/ready\$/);
    await using viewer = attach('Bea');
    await viewer.until(/ready\$[\s\S]*Watching; someone types in its own terminal · Ctrl-\] t takes over/);
    viewer.type('BBBB');
    own.type('AAAA');
    await viewer.until(/^ready\$ AAAA$/m);
    viewer.type(TAKE);
    await own.until(/Someone attached to this terminal is typing\. Type to take over\./);
    viewer.type('CCCC');
    await own.until(/^ready\$ AAAACCCC$/m);
    own.type('DDDD');
    await viewer.until(/^ready\$ AAAACCCCDDDD$/m);
    await viewer.until(/Someone types in its own terminal; you are watching/);
    viewer.type('EEEE');
    own.type('\x15echo "all $((40 + 2))"\r');
    await viewer.until(/^all 42$/m);
    expect(own.screen()).not.toMatch(/B|E/);
    expect((await daemon.cli(['audit', '--json'])).stdout).toContain('terminal.taken');
    const refused = attach('Bea', ['--drive']);
    await refused.until(/typing in Bea's own terminal[\s\S]*--take/);
    expect((await refused.exited).exitCode).toBe(2);
    own.type('exit\r');
    await viewer.until(/^\[Bea ended with exit code 0\]$/m);
  });

  it("leaves the keyboard to the person's terminal after the daemon was away", async () => {
    await using own = relay(['run', '--name', 'Away', '--', 'bash', '--norc', '--noprofile']);
    await own.until(/ready\$/);
    await using viewer = attach('Away', ['--take']);
    await viewer.until(/ready\$/);
    viewer.type('echo by the $((1 + 1))nd\r');
    await own.until(/^by the 2nd$/m);
    await daemon.kill9();
    own.type('echo alone $((1 + 2))\r');
    await own.until(/^alone 3$/m);
    await daemon.start();
    await viewer.until(/alone 3[\s\S]*(you are watching|Watching)/);
    viewer.type('echo unheard\r');
    own.type('echo heard $((2 + 2))\r');
    await viewer.until(/^heard 4$/m);
    expect(viewer.screen()).not.toContain('unheard');
  });

  it('says by which signal a program ended', async () => {
    await spawn('Signalled', 'shell');
    await using viewer = attach('Signalled');
    await viewer.until(/ready\$/);
    await daemon.cli(['release', 'Signalled']);
    await viewer.until(/^\[Signalled ended by SIG[A-Z]+\]$/m);
  });

  it.each(['Ctrl-] d', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'the end of the program'])(
    'resets every mode when it is left by %s',
    async (way) => {
      await spawn('Switching', 'shell');
      await using viewer = attach('Switching');
      const atFirst = modesOf(viewer);
      await viewer.until(/ready\$/);
      viewer.type(SWITCH_MODES);
      await expect.poll(() => modesOf(viewer).screen, POLL).toBe('alternate');
      expect(modesOf(viewer)).toMatchObject({ insertMode: true, mouseTrackingMode: 'any', originMode: true });
      if (way === 'Ctrl-] d') viewer.type(DETACH);
      else if (way === 'the end of the program') await daemon.cli(['release', 'Switching']);
      else process.kill(viewer.pid, way);
      await viewer.exited;
      await expect.poll(() => modesOf(viewer), POLL).toEqual(atFirst);
      for (const reset of [
        '\x1b[<1u\x1b[?1049l\x1b[<1u\x1b[>4;0m\x1b[0 q',
        '\x1b[?25h',
        '\x1b>',
        '\x1b[r',
        '\x1b[0m',
      ])
        expect(viewer.output()).toContain(reset);
    },
  );

  it('lets no sequence through that does more than draw, also after a control inside it', async () => {
    await spawn('Sneaky', 'shell');
    await using viewer = attach('Sneaky');
    const noticed: string[] = [];
    viewer.emulator.onTitleChange((title) => noticed.push(title));
    viewer.emulator.onData((answer) => noticed.push(answer));
    for (const command of [8, 52])
      viewer.emulator.parser.registerOscHandler(command, (text) => noticed.push(text) > 0);
    await viewer.until(/ready\$/);
    // `\\135` is `]`.
    const tries = [
      '\\000\\13552;c;ZXZpbA==\\007',
      '\\n\\1350;TITLE\\007',
      '\\177\\1358;;URL\\007',
      '\\000Z',
      '\\000P$qm\\033\\\\',
    ];
    viewer.type(
      `printf '${tries.map((text) => `\\033${text}`).join('')}\\302\\302\\2350;TITLE\\007\\033%%@'; echo $((6 * 7))\r`,
    );
    await viewer.until(/^.*42$/m);
    expect(noticed).toEqual([]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
    expect(viewer.output()).not.toMatch(/\x1b[\]P%\0\x7fZ]|\u009d/);
  });

  it('shows a terminal of agent-relay run, in its size', async () => {
    await using own = relay(['run', '--name', 'Runner', '--', 'bash', '--norc', '--noprofile']);
    await own.until(/ready\$/);
    await using viewer = attach('Runner', ['--take'], { columns: 120, rows: 36 });
    await viewer.until(/ready\$/);
    viewer.type('stty size\r');
    await own.until(/^30 100$/m);
    await viewer.until(/^30 100$/m);
    own.type('exit 4\r');
    await viewer.until(/^\[Runner ended with exit code 4\]$/m);
  });

  it('continues after the daemon was killed', async () => {
    await spawn('Lasting', 'shell');
    await using viewer = attach('Lasting');
    await viewer.until(/ready\$/);
    // A key that was on its way to it when it was killed.
    process.kill(daemon.pid, 'SIGSTOP');
    viewer.type('\x03\x1d?');
    await viewer.until(/Ctrl-\] then: d detach/);
    await daemon.kill9();
    await daemon.start();
    await expect.poll(async () => (await who('Lasting'))?.status, POLL).not.toBe('offline');
    await viewer.until(() => true);
    await expect
      .poll(() => {
        viewer.type('echo still $((40 + 2))\r');
        return viewer.screen();
      }, POLL)
      .toMatch(/^still 42$/m);
  });

  it('is allowed for people only', async () => {
    await spawn('Private');
    await using alice = await client(daemon, { name: 'Alice' });
    const size = { columns: 80, rows: 24, onOutput: () => undefined };
    await expect(alice.terminals.attach('Private', size)).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(alice.terminals.attach('Alice', size)).rejects.toMatchObject({ code: 'Forbidden' });
  });
});

describe('a viewer that does not keep up', () => {
  it('gets the current screen instead of what it missed, without delaying others', async () => {
    await spawn('Flood', 'shell');
    await using slow = attach('Flood', ['--watch']);
    await using quick = attach('Flood');
    await Promise.all([slow.until(/ready\$/), quick.until(/ready\$/)]);
    process.kill(slow.pid, 'SIGSTOP');
    quick.type('seq 1 400000; echo the "end"\r');
    await quick.until(/^the end$/m);
    process.kill(slow.pid, 'SIGCONT');
    await slow.until(/^the end$/m);
    expect(slow.output().length).toBeLessThan(2_000_000);
  }, 60_000);

  it.runIf(process.platform === 'linux')(
    'costs the host little memory while the daemon does not read',
    async () => {
      await spawn('Stuck', 'shell');
      await using viewer = attach('Stuck');
      await viewer.until(/ready\$/);
      const mark = join(daemon.directory, 'flooded');
      viewer.type(`echo host $PPID; sleep 1; seq 1 8000000; touch '${mark}'; echo the "end"\r`);
      await viewer.until(/^host \d+$/m);
      const host = Number(/^host (\d+)$/m.exec(viewer.screen())?.[1]);
      const used = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${host}/status`, 'utf8'))?.[1]);
      const before = used();
      process.kill(daemon.pid, 'SIGSTOP');
      try {
        await expect.poll(() => existsSync(mark), { timeout: 60_000 }).toBe(true);
        expect(used() - before).toBeLessThan(250 * 1024);
      } finally {
        process.kill(daemon.pid, 'SIGCONT');
      }
      await viewer.until(/^the end$/m);
    },
    120_000,
  );
});
