import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { repositoryOf } from './git-worktree.ts';
import { findProjectConfig, writeProjectConfig } from './project-config.ts';

let home: string;
let repository: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'relay-git-')));
  repository = join(home, 'shop');
  await git(home, 'init', '-q', repository);
  await git(repository, 'commit', '-q', '--allow-empty', '-m', 'first');
});
afterEach(() => rm(home, { recursive: true }));

const git = (directory: string, ...args: string[]) =>
  promisify(execFile)('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args]);

async function addWorktree(...options: string[]): Promise<string> {
  await git(repository, 'worktree', 'add', '-q', ...options, join(home, 'fix'));
  return join(home, 'fix');
}

describe('the repository of a worktree', () => {
  test('is where the worktree was added', async () => {
    expect(await repositoryOf(await addWorktree())).toBe(repository);
  });

  test('is found by relative paths', async () => {
    const worktree = await addWorktree();
    await writeFile(join(worktree, '.git'), 'gitdir: ../shop/.git/worktrees/fix\n');
    expect(await repositoryOf(worktree)).toBe(repository);
  });

  test('that is bare is its directory', async () => {
    await git(home, 'clone', '-q', '--bare', repository, join(home, 'store.git'));
    await git(join(home, 'store.git'), 'worktree', 'add', '-q', '-b', 'one', join(home, 'one'));
    expect(await repositoryOf(join(home, 'one'))).toBe(join(home, 'store.git'));
    await mkdir(join(home, 'lab'));
    await git(home, 'clone', '-q', '--bare', repository, join(home, 'lab', '.bare'));
    await git(join(home, 'lab', '.bare'), 'worktree', 'add', '-q', '-b', 'two', join(home, 'lab', 'two'));
    expect(await repositoryOf(join(home, 'lab', 'two'))).toBe(join(home, 'lab'));
  });

  test('is undefined for a repository, a directory in one, or no repository', async () => {
    await mkdir(join(repository, 'src'));
    for (const directory of [repository, join(repository, 'src'), home, join(home, 'nowhere')]) {
      expect(await repositoryOf(directory)).toBeUndefined();
    }
  });

  test('must list the worktree: a .git file alone is not enough', async () => {
    const worktree = await addWorktree();
    const unpacked = join(home, 'unpacked');
    await mkdir(unpacked);
    for (const target of [`${repository}/.git/worktrees/fix`, `${repository}/.git`, '/nowhere', '..']) {
      await writeFile(join(unpacked, '.git'), `gitdir: ${target}\n`);
      expect(await repositoryOf(unpacked)).toBeUndefined();
    }
    await writeFile(join(unpacked, '.git'), 'nonsense');
    expect(await repositoryOf(unpacked)).toBeUndefined();
    await rename(join(repository, '.git', 'worktrees'), join(home, 'gone'));
    expect(await repositoryOf(worktree)).toBeUndefined();
  });

  test.skipIf(process.getuid?.() === 0)('is undefined if this user may not read it', async () => {
    const worktree = await addWorktree();
    await chmod(repository, 0);
    expect(await repositoryOf(worktree)).toBeUndefined();
    await chmod(repository, 0o700);
  });
});

test('gives its record to the worktree, unless that has its own', async () => {
  const inside = join(await addWorktree(), 'src');
  await mkdir(inside);
  expect(await findProjectConfig(inside)).toBeUndefined();
  await writeProjectConfig({ root: repository, project: 'shop' });
  expect(await findProjectConfig(inside)).toMatchObject({ root: repository, project: 'shop' });
  await writeProjectConfig({ root: join(home, 'fix'), project: 'fix' });
  expect(await findProjectConfig(inside)).toMatchObject({ project: 'fix' });
});
