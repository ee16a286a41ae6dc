import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commit, git, newRepository } from '../../../../../test/kit/repository.ts';
import type { WantedWorktree, Worktree } from '../../core/ports/worktrees.ts';
import { GitWorktrees } from './git-worktrees.ts';

let directory: string;
let repository: string;
let worktrees: GitWorktrees;
let told: string[];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'relay-worktrees-'));
  repository = join(directory, 'shop');
  await newRepository(repository);
  worktrees = new GitWorktrees(join(directory, 'data'));
  told = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const create = (changes: Partial<WantedWorktree> = {}) =>
  worktrees.create({
    ...{ name: 'Tests', area: 'shop', cwd: repository, setup: undefined, env: undefined },
    onProgress: (text) => told.push(text),
    ...changes,
  });
const branches = () => git(repository, 'for-each-ref', '--format=%(refname:short)', 'refs/heads');

describe('a worktree', () => {
  it('has the files of the local HEAD, in a private place outside the repository, on its own branch', async () => {
    const head = commit(repository, 'Second', { 'src/a.js': 'a' });
    writeFileSync(join(repository, 'draft.txt'), 'not committed');
    const { worktree, cwd } = await create({ cwd: join(repository, 'src') });
    expect(worktree).toMatchObject({
      path: join(directory, 'data/worktrees/shop/Tests'),
      branch: 'relay/Tests',
    });
    expect(cwd).toBe(join(worktree.path, 'src/'));
    expect(git(worktree.path, 'rev-parse', 'HEAD')).toBe(head);
    expect(git(worktree.path, 'branch', '--show-current')).toBe('relay/Tests');
    expect(existsSync(join(worktree.path, 'draft.txt'))).toBe(false);
    expect(statSync(join(directory, 'data/worktrees')).mode & 0o777).toBe(0o700);
  });

  it('never gets the branch or the directory of another one', async () => {
    const made = await Promise.all([create(), create(), create({ name: 'tests' })]);
    const names = made.map(({ worktree }) => worktree.branch.toLowerCase());
    expect(names.sort()).toEqual(['relay/tests', 'relay/tests-2', 'relay/tests-3']);
    expect(new Set(made.map(({ worktree }) => worktree.path)).size).toBe(3);
  });

  it('belongs to the repository of its directory, whatever the environment says', async () => {
    const other = join(directory, 'other');
    await newRepository(other);
    const { PATH = '' } = process.env;
    const { worktree } = await create({
      env: { PATH, GIT_DIR: join(other, '.git'), GIT_WORK_TREE: other },
    });
    expect(worktree.repository).toBe(join(repository, '.git'));
  });

  it('created in a worktree belongs to the same repository', async () => {
    const first = await create();
    const second = await create({ cwd: first.worktree.path });
    expect(second.worktree.repository).toBe(first.worktree.repository);
  });
});

describe('no worktree is made, and nothing is changed,', () => {
  const empty = () => {
    const place = join(directory, 'place');
    mkdirSync(place);
    return place;
  };
  it.each<[what: string, prepare: () => Partial<WantedWorktree>, complaint: RegExp]>([
    ['outside a repository', () => ({ cwd: empty() }), /not in a git repository/],
    [
      'of a bare repository',
      () => {
        const cwd = empty();
        git(cwd, 'init', '--quiet', '--bare');
        return { cwd };
      },
      /is a bare repository/,
    ],
    ['in a git directory', () => ({ cwd: join(repository, '.git') }), /is inside a git directory/],
    [
      'before the first commit',
      () => {
        const cwd = empty();
        git(cwd, 'init', '--quiet');
        return { cwd };
      },
      /has no commit yet/,
    ],
    [
      'in a directory that is not committed',
      () => {
        mkdirSync(join(repository, 'new'));
        return { cwd: join(repository, 'new') };
      },
      /new\/ is not in the latest commit/,
    ],
    [
      'where a branch is in the way',
      () => {
        git(repository, 'branch', 'relay');
        return {};
      },
      /has a branch named "relay"/,
    ],
    [
      'for a name that cannot be a branch',
      () => ({ name: 'x.lock' }),
      /"x.lock" cannot be the name of a branch/,
    ],
    ['for a name that git uses itself', () => ({ name: 'HEAD' }), /"HEAD" cannot/],
    ['for a name that cannot be a worktree', () => ({ name: '@' }), /"@" cannot/],
    [
      'with submodules, and no command that brings them',
      () => {
        commit(repository, 'Modules', { '.gitmodules': '[submodule "lib"]\n' });
        return {};
      },
      /has submodules/,
    ],
  ])('%s', async (_, prepare, complaint) => {
    const changes = prepare();
    const before = branches();
    await expect(create(changes)).rejects.toMatchObject({ code: 'NoWorktree', message: complaint });
    expect(branches()).toBe(before);
    expect(told).toEqual([]);
  });

  it('without git', async () => {
    await expect(create({ env: { PATH: '/nowhere' } })).rejects.toMatchObject({
      code: 'CommandNotFound',
      message: 'Program not found: git.',
    });
  });
});

describe('the set-up command', () => {
  it('runs in the new worktree, and reports its progress', async () => {
    const { worktree } = await create({ setup: 'echo installing; cat README.md > made.txt' });
    expect(existsSync(join(worktree.path, 'made.txt'))).toBe(true);
    expect(told).toEqual([
      'Creating a worktree',
      'Setting it up: echo installing; cat README.md > made.txt',
      'installing',
    ]);
  });

  it('that fails is shown with its output, and leaves no worktree', async () => {
    const failing = create({ setup: 'echo one; echo no such package >&2; exit 3' });
    await expect(failing).rejects.toMatchObject({
      code: 'SetupFailed',
      message: expect.stringMatching(/failed with exit code 3: .*\n(one\nno such|no such package\none)/),
    });
    expect(existsSync(join(directory, 'data/worktrees/shop/Tests'))).toBe(false);
    expect(branches()).toBe('main');
  });

  it('that fails keeps the files it created', async () => {
    await expect(create({ setup: 'touch made.txt; false' })).rejects.toMatchObject({
      code: 'SetupFailed',
      message: expect.stringMatching(
        /was kept: it has untracked files\.\n.*worktrees\/shop\/Tests \(branch relay\/Tests\)\n/,
      ),
    });
  });

  it('ends with the daemon, and so do its child processes', async () => {
    const pid = join(directory, 'pid');
    const failing = expect(create({ setup: `sh -c 'echo $$ > ${pid}; sleep 60'` })).rejects.toMatchObject({
      code: 'SetupFailed',
      message: expect.stringContaining('was stopped with the daemon'),
    });
    await expect.poll(() => existsSync(pid)).toBe(true);
    worktrees.close();
    await failing;
  });
});

describe('a worktree that was planned, when the daemon was killed', () => {
  const TESTS = { agent: 'Tests', run: 'run_1' };
  const discard = async (worktree: Worktree) => (await worktrees.discard(worktree, TESTS)).kept?.why;
  const planned = async (): Promise<Worktree> => {
    const plans: Worktree[] = [];
    await create({
      planned: async (worktree) => {
        plans.push(worktree);
        throw new Error('killed');
      },
    }).catch(() => undefined);
    const [plan] = plans;
    if (!plan) throw new Error('nothing was planned');
    return plan;
  };
  const isGone = ({ path }: Worktree) => {
    expect(existsSync(path)).toBe(false);
    expect(branches()).toBe('main');
    expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1);
  };

  it('was not made yet', async () => {
    const worktree = await planned();
    expect(await discard(worktree)).toBeUndefined();
    isGone(worktree);
  });

  it('has only its branch', async () => {
    const worktree = await planned();
    git(repository, 'branch', worktree.branch);
    expect(await discard(worktree)).toBeUndefined();
    isGone(worktree);
  });

  it('is half made', async () => {
    const { worktree } = await create();
    const [, administration = ''] =
      /gitdir: (.*)/.exec(readFileSync(join(worktree.path, '.git'), 'utf8')) ?? [];
    writeFileSync(join(administration, 'locked'), 'initializing\n');
    rmSync(join(worktree.path, 'README.md'));
    expect(await discard(worktree)).toBeUndefined();
    isGone(worktree);
  });

  it('is complete, and is kept if something was done in it', async () => {
    const { worktree } = await create();
    writeFileSync(join(worktree.path, 'draft.md'), 'x');
    expect(await discard(worktree)).toBe('it has untracked files');
    rmSync(join(worktree.path, 'draft.md'));
    expect(await discard(worktree)).toBeUndefined();
    isGone(worktree);
  });

  it('has lost its directory, but not its branch, which goes too', async () => {
    const { worktree } = await create();
    git(repository, 'worktree', 'remove', worktree.path);
    expect((await worktrees.remove(worktree, TESTS)).kept).toBeUndefined();
    isGone(worktree);
  });
});
