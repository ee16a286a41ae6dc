import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { git, newRepository } from '../../kit/repository.ts';
import { notesIn, SCRIPTED_CLI } from '../../kit/scripted-cli.ts';
import { client } from '../messaging/commands.ts';

let daemon: TestDaemon;
let log: string;
beforeAll(async () => {
  daemon = await startDaemon({
    settings: { clis: SCRIPTED_CLI, spawn: { setup: 'echo set up > set-up.log' } },
  });
  log = join(daemon.directory, 'notes');
});
afterAll(() => daemon[Symbol.asyncDispose]());

const spawn = (name: string, ...more: string[]) =>
  daemon.cli(['spawn', name, 'scripted', '--worktree', ...more], { env: { SCRIPTED_LOG: log } });
const worktreeOf = async (name: string): Promise<{ path: string; branch: string } | undefined> => {
  const agents = JSON.parse((await daemon.cli(['who', '--all', '--json'])).stdout);
  return agents.find((agent: { name: string }) => agent.name === name)?.run?.worktree;
};

it('reports at once that there is no repository, and starts nothing', async () => {
  const { code, stderr } = await spawn('Early');
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/is not in a git repository\.\nnext: Run git init/),
  ]);
  expect(await worktreeOf('Early')).toBeUndefined();
});

it('gives a worker a worktree of the project, set up, and removes it with the worker', async () => {
  await newRepository(daemon.projectDirectory, { '.gitignore': 'set-up.log\n' });
  const { stdout, stderr } = await spawn('Tests');
  expect(stdout).toBe('Tests is ready.\n');
  expect(stderr).toBe('Creating a worktree\nSetting it up: echo set up > set-up.log\n');
  const worktree = await worktreeOf('Tests');
  const path = join(realpathSync(daemon.dataDirectory), 'worktrees', 'demo', 'Tests');
  expect(worktree).toEqual({ path, branch: 'relay/Tests' });
  expect(existsSync(join(path, 'set-up.log'))).toBe(true);
  expect((await notesIn(log)).at(-1)).toMatchObject({ cwd: path, agent: 'Tests' });
  // Commands in it are commands of the project.
  const { stdout: seen } = await daemon.cli(['who'], { cwd: path });
  expect(seen).toMatch(/Tests .*on branch relay\/Tests/);
  expect((await daemon.cli(['release', 'Tests'])).stdout).toBe(
    'Released Tests.\nAlso removed: 1 ignored file (set-up.log)\n',
  );
  expect(existsSync(path)).toBe(false);
});

it('keeps a worktree with work in it, and says where it is', async () => {
  await spawn('Writer', '--setup', 'true');
  const { path, branch } = (await worktreeOf('Writer')) ?? { path: '', branch: '' };
  writeFileSync(join(path, 'draft.md'), 'x');
  const { stdout } = await daemon.cli(['release', 'Writer']);
  expect(stdout).toBe(
    `Released Writer.\nIts worktree was kept: it has untracked files.\n  ${path} (branch ${branch})\nCommit or copy what you need first.\nRemove it with: git worktree remove --force ${path}\n`,
  );
  // The command works, and the name can be used again before that.
  await using alice = await client(daemon, { name: 'Alice' });
  const env = { PATH: process.env.PATH ?? '' };
  await alice.workers.spawn('Writer', 'scripted', { worktree: true, setup: 'true', env });
  expect(await worktreeOf('Writer')).toMatchObject({ branch: 'relay/Writer-2' });
  git(daemon.projectDirectory, 'worktree', 'remove', '--force', path);
  expect(await alice.workers.release('Writer')).not.toHaveProperty('worktree');
});

it('does not start a worker whose worktree could not be set up', async () => {
  const { code, stderr } = await spawn('Broken', '--setup', 'echo no network; exit 4');
  expect(code).toBe(1);
  expect(stderr).toMatch(/The set-up command failed with exit code 4: .*\nno network\nnext: /);
  expect(await worktreeOf('Broken')).toBeUndefined();
  expect(git(daemon.projectDirectory, 'branch', '--list', 'relay/Broken')).toBe('');
});

it('leaves no worktree of a worker that ended at once', async () => {
  const { stderr } = await spawn('Brief', 'exit 3', '--setup', 'true');
  expect(stderr).toContain('ended before it was ready with exit code 3');
  expect(git(daemon.projectDirectory, 'branch', '--list', 'relay/Brief')).toBe('');
});

it('refuses a set-up command without a worktree', async () => {
  const { code, stderr } = await daemon.cli(['spawn', 'None', 'scripted', '--setup', 'true']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('A set-up command is for a worktree.')]);
});
