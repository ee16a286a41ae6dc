import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Relay } from '@agent-relay/sdk/node';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isAlive, processMark } from '../../../packages/platform/src/processes/index.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { notesIn, SCRIPTED_CLI } from '../../kit/scripted-cli.ts';
import { client } from '../messaging/commands.ts';

/** Spawns and releases that must leave nothing behind; 1000 in the long form. */
const ROUNDS = Number(process.env.SPAWN_ROUNDS ?? 20);
const POLL = { timeout: 30_000, interval: 50 };

let daemon: TestDaemon;
let log: string;
let made = 0;
beforeAll(async () => {
  daemon = await startDaemon({ settings: { clis: SCRIPTED_CLI, quotas: { spawns: 4 }, goneAfterMs: 500 } });
});
afterAll(() => daemon[Symbol.asyncDispose]());
afterEach(async () => void (await daemon.cli(['release', '--all'])));

/** A log of its own for what the programs of one test note. */
const newLog = () => {
  log = join(daemon.directory, `notes-${++made}`);
  return log;
};
const environment = (more: NodeJS.ProcessEnv = {}) => ({ SCRIPTED_LOG: newLog(), ...more });
const spawnBy = (relay: Relay, name: string, options: Parameters<Relay['workers']['spawn']>[2] = {}) =>
  relay.workers.spawn(name, 'scripted', {
    ...options,
    env: { ...pathOnly(), ...environment(), ...options?.env },
  });
const pathOnly = () => ({ PATH: process.env.PATH ?? '' });
const who = async (name: string) => {
  const agents = JSON.parse((await daemon.cli(['who', '--all', '--json'])).stdout);
  return agents.find((agent: { name: string }) => agent.name === name);
};
const pidOf = async () => {
  await expect.poll(() => notesIn(log), POLL).not.toEqual([]);
  return Number((await notesIn(log))[0]?.pid);
};
const marked = (pid: number) => ({ pid, mark: processMark(pid) ?? 'gone' });

describe('agent-relay spawn', () => {
  it('starts an agent, delivers its task as a message, and sees it start working', async () => {
    const env = environment();
    const { stdout, code } = await daemon.cli(
      [
        'spawn',
        'Tests',
        'scripted',
        'Run the tests',
        '--model',
        'big',
        '--channels',
        'dev',
        '--json',
        '--',
        '--fast',
      ],
      { env },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ name: 'Tests', status: 'ready' });
    const [started, turn] = await notesIn(log);
    expect(started).toMatchObject({ started: ['--brain=big', '--fast'], agent: 'Tests' });
    expect(turn?.turn).toMatch(
      /^Relay message from \S+ \[msg_\w+\]: from a person, directive\n\| Run the tests$/,
    );
    expect(await who('Tests')).toMatchObject({
      cli: 'scripted',
      task: 'Run the tests',
      parent: expect.any(String),
      run: { state: 'ready', spawned: true },
    });
    const { messages } = JSON.parse((await daemon.cli(['history', '--json', '--limit', '1'])).stdout);
    expect(messages).toMatchObject([{ to: 'Tests', kind: 'directive', content: 'Run the tests' }]);
    const members = JSON.parse((await daemon.cli(['channel', 'list', '--json'])).stdout);
    expect(members).toContainEqual(expect.objectContaining({ name: '#dev' }));
  });

  it('is ready even if its first turn begins seconds after it got its task', async () => {
    const env = environment({ SCRIPTED_HESITATES: '2500' });
    const { stdout } = await daemon.cli(['spawn', 'Slow', 'scripted', 'Run the tests'], { env });
    expect(stdout).toBe('Slow is ready.\n');
  });

  it('is ready without a task when its composer is ready', async () => {
    const { stdout } = await daemon.cli(['spawn', 'Idle', 'scripted'], { env: environment() });
    expect(stdout).toBe('Idle is ready.\n');
  });

  it('says what to do if the CLI is missing', async () => {
    const env = { PATH: dirname(process.execPath) };
    const { code, stderr } = await daemon.cli(['spawn', 'Missing', 'codex'], { env });
    expect(code).toBe(4);
    expect(stderr).toBe(
      'error: Program not found: codex.\nnext: Install it, or add its directory to PATH.\n',
    );
    expect(await who('Missing')).toBeUndefined();
  });

  it('reports at once what a person has to answer, and answers no question of the CLI', async () => {
    const env = environment({ SCRIPTED_TRUST: '1' });
    const { stdout } = await daemon.cli(['spawn', 'Asked', 'scripted', 'Hello', '--wait', '10m'], { env });
    expect(stdout).toBe(
      'Asked is not ready yet: Trust this folder?\nLook at it with: agent-relay attach Asked\n',
    );
    expect(await notesIn(log)).toHaveLength(1);
    expect(await who('Asked')).toMatchObject({ run: { state: 'waiting' } });
    expect((await daemon.cli(['who'])).stdout).toMatch(
      /^Asked +idle +1 +scripted [\d.]+ +pty .*up \d+s, waits: the agent is starting: Trust this folder\?, worker of \S+, Hello$/m,
    );
  });

  it('starts a CLI whose screen is unknown, and says that nothing is typed into it', async () => {
    const directory = join(daemon.directory, 'unknown');
    await mkdir(directory);
    await writeFile(join(directory, 'droid'), '#!/bin/sh\nexec cat\n', { mode: 0o755 });
    const env = { PATH: `${directory}:${process.env.PATH}` };
    const { stdout } = await daemon.cli(['spawn', 'Unknown', 'droid', 'Hello', '--wait', '3s'], { env });
    expect(stdout).toBe(
      'Unknown is not ready yet: unproven: droid. Nothing is typed into it; it finds its task in its inbox.\nLook at it with: agent-relay attach Unknown\n',
    );
    expect((await daemon.cli(['who'])).stdout).toMatch(/^Unknown .* waits: unproven: droid, /m);
  });

  it.each([
    [['Worker', 'emacs'], 2, /There is no agent CLI "emacs"\. Known ones: claude, .*, agent, scripted\./],
    [['Worker', 'claude --help'], 2, /There is no agent CLI "claude --help"/],
    [['Worker', 'droid'], 4, /Program not found: droid/],
    [['Worker', 'scripted', '--cwd', '/nowhere'], 2, /there is no directory \/nowhere/],
    [['spawn', 'scripted'], 2, /reserved/],
    [['Worker', 'scripted', 'two', 'words'], 2, /one argument too many/],
    [['Worker', 'scripted', '--model', '--help'], 2, /model/],
  ])('refuses %j at once', async (words, code, complaint) => {
    const env = { ...environment(), PATH: '/nowhere' };
    const result = await daemon.cli(['spawn', ...words], { env });
    expect(result).toMatchObject({ code, stderr: expect.stringMatching(complaint) });
    expect(await who('Worker')).toBeUndefined();
  });

  it('reports a program that ends at once, and leaves no agent', async () => {
    const { code, stderr } = await daemon.cli(['spawn', 'Brief', 'scripted', 'exit 3'], {
      env: environment(),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('"Brief" (scripted) ended before it was ready with exit code 3.');
    const [node, program] = SCRIPTED_CLI.scripted.command;
    expect(stderr).toContain(
      `next: Start it in a terminal to see why, in ${daemon.projectDirectory}: ${node} ${program}\n`,
    );
    expect(await who('Brief')).toBeUndefined();
  });
});

describe('the environment of a worker', () => {
  const environmentOf = async (pid: number) => (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');

  it('is that of the caller, without variables that name the agent', async () => {
    const env = environment({ COLOUR: 'teal', RELAY_AGENT_NAME: 'Asker' });
    await daemon.cli(['spawn', 'Heir', 'scripted'], { env });
    const inherited = await environmentOf(await pidOf());
    expect(inherited).toContain('COLOUR=teal');
    expect(inherited).toContain('RELAY_AGENT_NAME=Heir');
    expect(inherited).not.toContain('RELAY_AGENT_NAME=Asker');
  });

  it("is the daemon's if the caller sends none", async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    // In this process, after the daemon was started.
    vi.stubEnv('COLOUR', 'red');
    await alice.workers.spawn('Plain', 'scripted');
    vi.unstubAllEnvs();
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const all = await Promise.all(pids.map((pid) => environmentOf(pid).catch((): string[] => [])));
    const inherited = all.find((words) => words.includes('RELAY_AGENT_NAME=Plain'));
    expect(inherited).toContain(`PATH=${process.env.PATH}`);
    expect(inherited).not.toContain('COLOUR=red');
  });
});

describe('agent-relay tail', () => {
  it('shows the state of a worker and of its task, as it changes', async () => {
    await daemon.cli(['send', '#general', 'before']);
    await using tail = daemon.startCli(['tail', '--since-seq', '0']);
    await tail.until(/before/);
    await daemon.cli(['spawn', 'Shown', 'scripted', 'exit 4', '--wait', '1s'], { env: environment() });
    await tail.until(/→ Shown .*directive\n {2}exit 4/);
    await tail.until(/Shown {2}accepted by pty msg_\w+/);
    await tail.until(/Shown {2}ended \(code 4\)/);
  });
});

describe('a worker', () => {
  it('belongs to the agent that spawned it', async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    await using bob = await client(daemon, { name: 'Bob' });
    expect(await spawnBy(alice, 'Helper', { task: 'Help' })).toEqual({
      name: 'Helper',
      status: 'ready',
    });
    await expect(spawnBy(bob, 'Helper')).rejects.toMatchObject({ code: 'NameTaken' });
    await expect(bob.workers.release('Helper')).rejects.toMatchObject({ code: 'Forbidden' });
    expect((await notesIn(log)).length).toBe(0);
    await alice.workers.release('Helper');
    expect(await who('Helper')).toBeUndefined();
  });

  it('stays within the project, unless a person asks', async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    const inside = join(daemon.projectDirectory, 'part');
    await mkdir(inside);
    await symlink(daemon.directory, join(inside, 'out'));
    await expect(spawnBy(alice, 'Outside', { cwd: 'part/out' })).rejects.toMatchObject({ code: 'Forbidden' });
    await spawnBy(alice, 'Inside', { cwd: 'part' });
    expect(await notesIn(log)).toMatchObject([{ cwd: inside }]);
    const { code } = await daemon.cli(['spawn', 'Free', 'scripted', '--cwd', daemon.directory], {
      env: environment(),
    });
    expect(code).toBe(0);
  });

  it('counts against a quota', async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    for (const name of ['W1', 'W2', 'W3', 'W4']) await spawnBy(alice, name, { waitMs: 0 });
    await expect(spawnBy(alice, 'W5')).rejects.toMatchObject({ code: 'LimitReached' });
    await alice.workers.release('W1');
    await spawnBy(alice, 'W5', { waitMs: 0 });
  });

  it('is reported to its parent when it ends by itself, and listed until it is released', async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    await spawnBy(alice, 'Crash', { task: 'Begin' });
    await alice.send('Crash', 'exit 7');
    await expect
      .poll(async () => (await alice.inbox()).messages.map(({ content }) => content), POLL)
      .toEqual(['Worker "Crash" ended with exit code 7.']);
    expect(await who('Crash')).toMatchObject({
      status: 'offline',
      run: { state: 'exited', exit: { code: 7 } },
    });
    expect((await daemon.cli(['who'])).stdout).toMatch(/^Crash +offline .* ended \(code 7\) after \d+/m);
    await expect(spawnBy(alice, 'Crash')).rejects.toMatchObject({
      code: 'NameTaken',
      next: expect.stringContaining('agent-relay release Crash'),
    });
    await alice.workers.release('Crash');
    expect(await who('Crash')).toBeUndefined();
  });

  it('without paste support gets a hint to check its inbox, once per message', async () => {
    await using ann = await client(daemon, { name: 'Ann' });
    const env = { SCRIPTED_PLAIN: '1' };
    expect(await spawnBy(ann, 'Plain', { task: 'one\ntwo', waitMs: 0, env })).toMatchObject({
      status: 'spawning',
    });
    const turns = async () => (await notesIn(log)).flatMap(({ turn }) => turn ?? []);
    const told = 'You have a Relay message. Check your inbox with relay_inbox or: agent-relay inbox';
    await expect.poll(turns, POLL).toEqual([told]);
    const first = (await ann.history({ limit: 1 })).messages[0]?.id ?? '';
    const traced = async (id: string) => (await ann.trace(id)).deliveries[0];
    const refused = { state: 'stored', reason: { code: 'refused' } };
    await expect.poll(() => traced(first), POLL).toMatchObject(refused);
    expect(await who('Plain')).toMatchObject({ run: { state: 'starting' } });
    await daemon.kill9();
    await daemon.start();
    const { messageId } = await ann.send('Plain', 'three');
    await expect.poll(turns, POLL).toEqual([told, told]);
    await expect.poll(() => traced(messageId), POLL).toMatchObject(refused);
    await expect.poll(() => traced(first), POLL).toMatchObject(refused);
    // What it was told to do: this is its first turn with its task.
    const pid = await pidOf();
    await using worker = await client(daemon, { name: 'Plain', token: await tokenOf(pid), paths: [] });
    const { messages } = await worker.inbox();
    expect(messages.map(({ content }) => content)).toEqual(['one\ntwo', 'three']);
    await expect.poll(() => who('Plain'), POLL).toMatchObject({ run: { state: 'ready' } });
  });

  it('sends its result to its parent, who can wait for it', async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    await spawnBy(alice, 'Counter', { task: 'Count' });
    const env = { RELAY_AGENT_NAME: 'Counter', RELAY_AGENT_TOKEN: await tokenOf(await pidOf()) };
    await using worker = await client(daemon, { name: 'Counter', token: env.RELAY_AGENT_TOKEN, paths: [] });
    const awaited = alice.workers.awaitResult('Counter');
    await worker.workers.submitResult({ files: 1 }, { final: false });
    await worker.workers.submitResult({ files: 2 });
    expect(await awaited).toMatchObject({ result: { data: { files: 2 }, final: true }, running: true });
    const { messages } = await alice.inbox();
    expect(messages.map(({ from, content }) => [from, content])).toEqual([
      ['Counter', 'RESULT so far, as Counter says: {"files":1}'],
      ['Counter', 'RESULT, as Counter says: {"files":2}'],
    ]);
  });
});

describe('agent-relay release', () => {
  it('ends the program, its children and its host, even if they ignore signals', async () => {
    const env = environment({ SCRIPTED_STUBBORN: '1', SCRIPTED_LEAVES: '1' });
    await daemon.cli(['spawn', 'Stubborn', 'scripted'], { env });
    const pid = await pidOf();
    const family = [pid, ...(await membersOf(pid))].map(marked);
    expect(family.length).toBeGreaterThan(1);
    const { stdout } = await daemon.cli(['release', 'Stubborn', '--reason', 'enough']);
    expect(stdout).toBe('Released Stubborn.\n');
    expect(family.filter(isAlive)).toEqual([]);
    const audit = JSON.parse((await daemon.cli(['audit', '--json'])).stdout);
    expect(audit).toContainEqual(
      expect.objectContaining({ action: 'agent.released', subject: 'Stubborn', detail: expect.anything() }),
    );
    // The name is free.
    expect((await daemon.cli(['spawn', 'Stubborn', 'scripted'], { env: environment() })).code).toBe(0);
  });

  it('ends a command that the program runs in another session', async () => {
    const env = environment({ SCRIPTED_LEAVES: 'apart' });
    await daemon.cli(['spawn', 'Detaching', 'scripted'], { env });
    const left = marked(Number((await notesIn(log)).find((note) => note.left !== undefined)?.left));
    expect(isAlive(left)).toBe(true);
    await daemon.cli(['release', 'Detaching']);
    expect(isAlive(left)).toBe(false);
  });

  it('works after the daemon was killed, which the agents survive', async () => {
    await daemon.cli(['spawn', 'Survivor', 'scripted', 'Go on'], { env: environment() });
    const pid = marked(await pidOf());
    await daemon.kill9();
    expect(isAlive(pid)).toBe(true);
    await daemon.start();
    await expect.poll(async () => (await who('Survivor'))?.status, POLL).not.toBe('offline');
    await daemon.cli(['send', 'Survivor', 'say again']);
    await expect.poll(() => notesIn(log), POLL).toContainEqual({ answer: 'again' });
    await daemon.cli(['release', 'Survivor']);
    expect(isAlive(pid)).toBe(false);
    expect(await who('Survivor')).toBeUndefined();
  });

  it('ends an agent whose host was stopped, or killed', async () => {
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
      await daemon.cli(['spawn', 'Deaf', 'scripted'], { env: environment() });
      const pid = marked(await pidOf());
      const host = marked(await parentOf(pid.pid));
      process.kill(host.pid, signal);
      const { code } = await daemon.cli(['release', 'Deaf'], { env: {} });
      expect([code, isAlive(pid), isAlive(host)]).toEqual([0, false, false]);
    }
  }, 60_000);

  it('notifies the parent when the host is killed', async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    await spawnBy(alice, 'Lost', { task: 'Work' });
    process.kill(await parentOf(await pidOf()), 'SIGKILL');
    await expect
      .poll(async () => (await alice.inbox()).messages.map(({ content }) => content), POLL)
      .toEqual(['Worker "Lost" ended: its host process ended without a report.']);
  });
});

describe('spawning and releasing again and again', () => {
  it(
    'leaves no process, no open file and no temporary file behind',
    async () => {
      await using alice = await client(daemon, { name: 'Alice' });
      const round = async (number: number) => {
        await spawnBy(alice, `R${number}`, { task: 'Work', waitMs: number % 2 === 0 ? 0 : 20_000 });
        await alice.workers.release(`R${number}`);
      };
      await round(1);
      const [before, files] = [await openFiles(), await filesLeft()];
      for (let number = 2; number <= ROUNDS; number += 2)
        await Promise.all([round(number), round(number + 1)]);
      await expect.poll(openFiles, POLL).toBeLessThanOrEqual(before + 2);
      expect(await processesOf(daemon.dataDirectory)).toEqual([]);
      expect(await filesLeft()).toEqual(files);
    },
    ROUNDS * 10_000,
  );
});

/** Whatever the daemon keeps, and temporary files, which are beside it. */
const filesLeft = async () => [
  ...(await readdir(daemon.directory)).filter((name) => !/^notes-\d+$/.test(name)).sort(),
  ...(await readdir(daemon.dataDirectory, { recursive: true })).sort(),
];
const openFiles = async () => (await readdir(`/proc/${daemon.pid}/fd`)).length;

async function readProc(pid: number | string, file: string): Promise<string> {
  return await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}

const pids = async () => (await readdir('/proc')).filter((name) => /^\d+$/.test(name));

/** Agents and their hosts, by the directory they belong to. */
async function processesOf(directory: string): Promise<string[]> {
  const found = await Promise.all(
    (await pids()).map(async (pid) =>
      (await readProc(pid, 'environ')).includes(`RELAY_DATA_DIR=${directory}\0`) &&
      (await readProc(pid, 'environ')).includes('RELAY_AGENT_TOKEN=')
        ? [await readProc(pid, 'cmdline')]
        : [],
    ),
  );
  return found.flat();
}

const statOf = async (pid: number | string) => (await readProc(pid, 'stat')).split(') ')[1]?.split(' ') ?? [];
const parentOf = async (pid: number) => Number((await statOf(pid))[1]);

/** What else is in the session of a process. */
async function membersOf(leader: number): Promise<number[]> {
  const all = await Promise.all((await pids()).map(async (pid) => [Number(pid), await statOf(pid)] as const));
  return all.flatMap(([pid, stat]) => (Number(stat[3]) === leader && pid !== leader ? [pid] : []));
}

async function tokenOf(pid: number): Promise<string> {
  const [, token = ''] = /RELAY_AGENT_TOKEN=([^\0]+)/.exec(await readProc(pid, 'environ')) ?? [];
  return token;
}
