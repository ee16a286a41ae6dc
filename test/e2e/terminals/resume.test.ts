import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { PROGRAM } from '../../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { newRepository } from '../../kit/repository.ts';
import { notesIn, SCRIPTED_CLI } from '../../kit/scripted-cli.ts';
import { startTerminal } from '../../kit/terminal.ts';

const POLL = { timeout: 30_000, interval: 50 };
/** A program of that name, which shows what it was started with. */
const CLAUDE = '#!/bin/sh\nfor word; do echo "$word"; done\necho "in $PWD"\nread line\n';
const conversation = { begin: ['--new={session}'], resume: ['--again={session}'] };

let daemon: TestDaemon;
let log: string;
let made = 0;
beforeAll(async () => {
  const clis = { talkative: { ...SCRIPTED_CLI.scripted, conversation }, ...SCRIPTED_CLI };
  daemon = await startDaemon({ settings: { clis, goneAfterMs: 500 } });
});
afterAll(() => daemon[Symbol.asyncDispose]());
afterEach(async () => void (await daemon.cli(['release', '--all'])));

const spawn = async (name: string, ...more: string[]) => {
  log = join(daemon.directory, `notes-${++made}`);
  const { stdout } = await daemon.cli(['spawn', name, 'talkative', ...more], { env: { SCRIPTED_LOG: log } });
  expect(stdout).toBe(`${name} is ready.\n`);
};
const resume = (...words: string[]) => daemon.cli(['resume', ...words], { env: { SCRIPTED_LOG: log } });
const who = async (name: string) => {
  const agents = JSON.parse((await daemon.cli(['who', '--all', '--json'])).stdout);
  return agents.find((agent: { name: string }) => agent.name === name);
};
const parentOf = async (pid: number) =>
  Number((await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')[1]);
const startsIn = async () => (await notesIn(log)).filter(({ started }) => started !== undefined);

/** Kills the host of the agent that started last; its program gets SIGHUP. */
async function killHost(name: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const { pid } = (await startsIn()).at(-1) ?? {};
  process.kill(await parentOf(Number(pid)), signal);
  await expect.poll(async () => (await who(name))?.run.state, POLL).toBe('exited');
}

it('resumes a worker whose host was killed, in its conversation, with its waiting messages', async () => {
  await spawn('Tests', 'Begin', '--model', 'big', '--', '--fast');
  await killHost('Tests');
  expect((await who('Tests')).run).toMatchObject({ ended: expect.any(String), resumable: true });
  await daemon.cli(['send', 'Tests', 'say hello again']);
  expect(await resume('Tests')).toMatchObject({ code: 0, stdout: 'Tests is ready.\n' });
  const [first, second] = await startsIn();
  const [, id] = /--new=([0-9a-f-]{36})/.exec(String(first?.started)) ?? [];
  expect(second?.started).toEqual([`--again=${id}`, '--brain=big', '--fast']);
  expect(second?.agent).toBe('Tests');
  await expect.poll(() => notesIn(log), POLL).toContainEqual({ answer: 'hello again' });
  expect(await who('Tests')).toMatchObject({
    task: 'Begin',
    parent: expect.any(String),
    run: { spawned: true },
  });
  expect(await resume('Tests')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Tests is still running.'),
  });
});

it('resumes all workers that did not end by themselves, one after the other', async () => {
  await spawn('One');
  await killHost('One', 'SIGTERM');
  await spawn('Two', 'Begin');
  await daemon.cli(['send', 'Two', 'exit 0']);
  await expect.poll(async () => (await who('Two'))?.run.state, POLL).toBe('exited');
  await spawn('Three');
  await killHost('Three');
  await spawn('Four');
  const { stdout } = await resume('--all');
  expect(stdout).toBe('Resuming One (1 of 2)\nOne is ready.\nResuming Three (2 of 2)\nThree is ready.\n');
  expect((await resume('--all')).stdout).toBe('No spawned agents to resume.\n');
});

it('resumes at once after the daemon was killed too', async () => {
  await spawn('Both');
  const { pid } = (await startsIn()).at(-1) ?? {};
  const host = await parentOf(Number(pid));
  await daemon.kill9();
  process.kill(host, 'SIGKILL');
  await daemon.start();
  expect((await daemon.cli(['who'])).stdout).toMatch(
    /^Both .* ended \(its host process ended without a report\), /m,
  );
  expect((await resume('--all')).stdout).toContain('Both is ready.');
});

it('reports a missing worktree, and how to restore it', async () => {
  await newRepository(daemon.projectDirectory);
  await spawn('Tree', '--worktree');
  const { path } = (await who('Tree')).run.worktree;
  await killHost('Tree');
  await rm(path, { recursive: true });
  const { code, stderr } = await resume('Tree');
  expect([code, stderr]).toEqual([
    2,
    `error: The worktree ${path} of Tree does not exist any more.\nnext: Bring it back: git worktree add ${path} relay/Tree\n`,
  ]);
});

it('reports that there is nothing to resume', async () => {
  log = join(daemon.directory, 'plain');
  await daemon.cli(['spawn', 'Plain', 'scripted'], { env: { SCRIPTED_LOG: log } });
  await killHost('Plain');
  const { code, stderr } = await resume('Plain');
  expect([code, stderr]).toEqual([2, expect.stringContaining('Plain has no conversation to resume')]);
});

it("resumes an agent of a person's terminal in this terminal, with the same options", async () => {
  const command = [
    process.execPath,
    PROGRAM,
    'run',
    '--name',
    'Ada',
    '--native',
    '--no-patterns',
    '--attention',
    'end-of-turn',
    '--',
    'claude',
    '--model',
    'x',
    'Hello',
  ];
  const bin = join(daemon.directory, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'claude'), CLAUDE, { mode: 0o755 });
  const env = {
    ...daemon.env,
    PATH: `${bin}:${process.env.PATH}`,
    HOME: daemon.directory,
    TERM: 'xterm-256color',
  };
  {
    await using terminal = startTerminal(command, { cwd: daemon.projectDirectory, env });
    await terminal.until(/--session-id=/);
    terminal.type('\r');
    await terminal.exited;
  }
  // What a run was given is what its host told.
  const choices = async () =>
    JSON.parse((await daemon.cli(['resume', 'Ada', '--json'], { env: { PATH: env.PATH } })).stdout).choices;
  expect(await choices()).toEqual({ native: true, patterns: false });
  await using terminal = startTerminal([process.execPath, PROGRAM, 'resume', 'Ada'], {
    cwd: '/',
    env: { ...env, RELAY_PROJECT: 'demo' },
  });
  // Nothing was said, so it begins with the same id; the prompt is not given twice.
  await terminal.until(/--session-id=\S+[\s\S]*--model\s+x/);
  expect(terminal.screen()).not.toContain('Hello');
  expect(terminal.screen()).toContain(`in ${daemon.projectDirectory}`);
  terminal.type('\r');
  await terminal.exited;
  expect(await choices()).toEqual({ native: true, patterns: false });
});
