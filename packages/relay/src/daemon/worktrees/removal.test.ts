import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commit, git, newRepository } from '../../../../../test/kit/repository.ts';
import type { WantedWorktree, Worktree } from '../../core/ports/worktrees.ts';
import { listKept } from '../../git/kept-commits.ts';
import { GitWorktrees } from './git-worktrees.ts';

const TESTS = { agent: 'Tests', run: 'run_1' };
const DAY_MS = 86_400_000;
const GONE = { commits: 0, ignored: { files: 0, names: [] } };

let directory: string;
let repository: string;
let worktrees: GitWorktrees;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'relay-removal-'));
  repository = join(directory, 'shop');
  await newRepository(repository, { 'README.md': 'Hello\n', 'src/a.txt': 'a\n', '.gitignore': 'build\n' });
  worktrees = new GitWorktrees(join(directory, 'data'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const create = async (changes: Partial<WantedWorktree> = {}) => {
  const wanted = { name: 'Tests', area: 'shop', cwd: repository, setup: undefined, env: undefined };
  return (await worktrees.create({ ...wanted, onProgress: () => undefined, ...changes })).worktree;
};
const branches = () => git(repository, 'for-each-ref', '--format=%(refname:short)', 'refs/heads');
const remove = (worktree: Worktree) => worktrees.remove(worktree, TESTS);
const whyKept = async (worktree: Worktree) => (await remove(worktree)).kept?.why;
/** A commit that the worker drops again. */
const dropped = ({ path }: Worktree, subject: string) => {
  const id = commit(path, subject, { [`${subject}.txt`]: subject });
  git(path, 'reset', '--quiet', '--hard', 'HEAD~1');
  return id;
};

describe('removing a worktree', () => {
  it('deletes it and its branch, and says which ignored files went', async () => {
    const worktree = await create();
    mkdirSync(join(worktree.path, 'build/x'), { recursive: true });
    writeFileSync(join(worktree.path, 'build/one.js'), '');
    writeFileSync(join(worktree.path, 'build/x/two\u001b[31m.js'), '');
    expect(await remove(worktree)).toEqual({ commits: 0, ignored: { files: 2, names: ['build/'] } });
    expect(existsSync(worktree.path)).toBe(false);
    expect(branches()).toBe('main');
    expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(await remove(worktree)).toEqual(GONE);
    expect(readdirSync(join(directory, 'data/worktrees/shop'))).toEqual([]);
  });

  it('also removes one that was made before its base was noted', async () => {
    const { base: _, ...worktree } = await create();
    mkdirSync(join(worktree.path, 'build'));
    writeFileSync(join(worktree.path, 'build/one.js'), '');
    expect(await remove(worktree)).toEqual({ commits: 0, ignored: { files: 1, names: ['build/'] } });
  });

  it.each<[what: string, change: (path: string) => void, why: string]>([
    ['changes', (path) => writeFileSync(join(path, 'README.md'), 'x'), 'it has uncommitted changes'],
    ['what is only staged', (path) => staged(path), 'it has uncommitted changes'],
    [
      'untracked files, though the user does not want to see them',
      (path) => {
        git(path, 'config', 'status.showUntrackedFiles', 'no');
        writeFileSync(join(path, 'notes.txt'), 'x');
      },
      'it has untracked files',
    ],
    [
      'a change of a file assumed unchanged',
      (path) => flagged(path, '--assume-unchanged'),
      'it has changes that git status does not show: README.md',
    ],
    [
      'a change of a skipped file',
      (path) => flagged(path, '--skip-worktree'),
      'it has changes that git status does not show: README.md',
    ],
    [
      'a change that a monitor denies',
      (path) => monitored(path),
      'it has uncommitted changes; git status may miss some, because core.fsmonitor is set',
    ],
    [
      'files that only its own rules ignore',
      (path) => {
        mkdirSync(join(path, 'cache'));
        writeFileSync(join(path, 'cache/data'), 'x');
        writeFileSync(join(path, 'cache/.gitignore'), '*\n');
      },
      'only its own rules ignore cache/',
    ],
    [
      'files that only the repository excludes',
      (path) => {
        mkdirSync(join(repository, '.git/info'), { recursive: true });
        appendFileSync(join(repository, '.git/info/exclude'), 'notes.txt\n');
        writeFileSync(join(path, 'notes.txt'), 'x');
      },
      'only its own rules ignore notes.txt',
    ],
    ['a repository in it', (path) => git(join(path, 'src'), 'init', '--quiet'), 'it has a repository in src'],
    ['commits', (path) => commit(path, 'Work', { 'a.txt': 'a' }), 'it has commits that no other branch has'],
    [
      'commits on no branch',
      (path) => {
        git(path, 'checkout', '--quiet', '--detach');
        commit(path, 'Work', { 'a.txt': 'a' });
      },
      'it has commits that no other branch has',
    ],
    [
      'commits on another new branch',
      (path) => {
        git(path, 'checkout', '--quiet', '-b', 'feature');
        commit(path, 'Work', { 'a.txt': 'a' });
      },
      'it has commits that no other branch has',
    ],
    [
      'what has no commit',
      (path) => git(path, 'checkout', '--quiet', '--orphan', 'new'),
      'its HEAD has no commit',
    ],
    ['one that is locked', (path) => git(path, 'worktree', 'lock', path), 'it is locked'],
  ])('never deletes %s', async (_, change, why) => {
    const worktree = await create();
    change(worktree.path);
    expect(await whyKept(worktree)).toBe(why);
    expect(existsSync(worktree.path)).toBe(true);
    expect(branches()).toContain('relay/Tests');
  });

  it('says how to merge commits that are on no branch', async () => {
    const worktree = await create();
    git(worktree.path, 'checkout', '--quiet', '--detach');
    const id = commit(worktree.path, 'Work', { 'a.txt': 'a' });
    expect((await remove(worktree)).kept?.next).toBe(`Merge them first: git merge ${id.slice(0, 12)}`);
    // They stay when its user then deletes the worktree.
    git(repository, 'worktree', 'remove', '--force', worktree.path);
    expect(await listKept(join(repository, '.git'))).toMatchObject([{ commit: id }]);
  });

  it('deletes a branch whose commits are on another branch', async () => {
    const worktree = await create();
    commit(worktree.path, 'Work', { 'a.txt': 'a' });
    git(repository, 'merge', '--quiet', 'relay/Tests');
    expect(await remove(worktree)).toEqual(GONE);
    expect(branches()).toBe('main');
  });

  it('keeps one of two that have the same commits', async () => {
    const first = await create();
    commit(first.path, 'Work', { 'a.txt': 'a' });
    const second = await create({ name: 'Other' });
    git(second.path, 'reset', '--quiet', '--hard', 'relay/Tests');
    const [one, two] = await Promise.all([remove(first), remove(second)]);
    expect([one.kept, two.kept].filter((kept) => kept === undefined)).toHaveLength(1);
  });

  it('removes a sparse checkout, unless a file in it changed', async () => {
    const sparse = await create();
    git(sparse.path, 'sparse-checkout', 'set', '--no-cone', 'README.md');
    expect(existsSync(join(sparse.path, 'src'))).toBe(false);
    writeFileSync(join(sparse.path, 'README.md'), 'changed');
    expect(await whyKept(sparse)).toBe('it has uncommitted changes');
    writeFileSync(join(sparse.path, 'README.md'), 'Hello\n');
    expect(await remove(sparse)).toEqual(GONE);
  });

  it('runs nothing that the repository configures', async () => {
    const trap = join(directory, 'trap');
    writeFileSync(trap, `#!/bin/sh\ntouch ${directory}/trapped\ncat\n`);
    chmodSync(trap, 0o755);
    const hooks = join(repository, '.git/hooks');
    mkdirSync(hooks, { recursive: true });
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change'])
      writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch ${directory}/trapped\n`, { mode: 0o755 });
    const worktree = await create();
    git(worktree.path, 'config', 'filter.trap.clean', trap);
    for (const key of ['core.fsmonitor', 'core.pager', 'diff.external', 'gpg.program', 'core.sshCommand'])
      git(repository, 'config', key, trap);
    rmSync(hooks, { recursive: true });
    mkdirSync(join(repository, '.git/info'), { recursive: true });
    writeFileSync(join(repository, '.git/info/attributes'), '* filter=trap diff=trap\n');
    expect(await remove(worktree)).toEqual(GONE);
    expect(existsSync(join(directory, 'trapped'))).toBe(false);
  });

  it('says that files of a filter may be why, if only the repository configures it', async () => {
    commit(repository, 'Filter', { '.gitattributes': '*.bin filter=upper\n' });
    git(repository, 'config', 'filter.upper.clean', 'tr a-z A-Z');
    commit(repository, 'Binary', { 'one.bin': 'x' });
    git(repository, 'config', 'filter.upper.smudge', 'tr A-Z a-z');
    expect(await whyKept(await create())).toMatch(
      /, or files of a filter that only the repository configures$/,
    );
  });

  it('keeps a worktree with submodules', async () => {
    const library = join(directory, 'library');
    await newRepository(library);
    git(repository, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', library, 'lib');
    commit(repository, 'Library', {});
    const worktree = await create({
      setup: 'git -c protocol.file.allow=always submodule update --init --quiet',
    });
    expect(existsSync(join(worktree.path, 'lib/README.md'))).toBe(true);
    expect(await whyKept(worktree)).toMatch(/submodules/);
  });

  it('keeps one that its repository does not know', async () => {
    const worktree = await create();
    rmSync(join(repository, '.git/worktrees'), { recursive: true });
    expect(await whyKept(worktree)).toBe('its repository does not know it');
  });
});

describe('commits that nothing else reaches', () => {
  const kept = async () => (await listKept(join(repository, '.git'))).map(({ subject }) => subject).sort();

  it('are kept in the repository when their worktree goes', async () => {
    const worktree = await create();
    const id = dropped(worktree, 'reset');
    git(worktree.path, 'checkout', '--quiet', '--detach');
    commit(worktree.path, 'detached', { 'b.txt': 'b' });
    commit(worktree.path, 'after it', { 'c.txt': 'c' });
    git(worktree.path, 'checkout', '--quiet', 'relay/Tests');
    const before = Math.floor(Date.now() / 1000) * 1000;
    expect(await remove(worktree)).toEqual({ ...GONE, commits: 3 });
    expect(await kept()).toEqual(['after it', 'reset']);
    const [first] = (await listKept(join(repository, '.git'))).filter(({ commit }) => commit === id);
    expect(first).toMatchObject({ ...TESTS, ref: expect.stringMatching(/^refs\/relay\/Tests\/run_1\/\d$/) });
    expect(first?.keptAt).toBeGreaterThanOrEqual(before);
    git(repository, 'gc', '--quiet', '--prune=now');
    expect(git(repository, 'show', '-s', '--format=%s', id)).toBe('reset');
  });

  it('are kept once, also when the first release kept the worktree', async () => {
    const worktree = await create();
    dropped(worktree, 'reset');
    writeFileSync(join(worktree.path, 'README.md'), 'x');
    expect(await remove(worktree)).toMatchObject({ commits: 1, kept: { why: 'it has uncommitted changes' } });
    writeFileSync(join(worktree.path, 'README.md'), 'Hello\n');
    expect(await remove(worktree)).toEqual(GONE);
    expect(await kept()).toEqual(['reset']);
  });

  it('are kept when somebody deleted the directory', async () => {
    const worktree = await create();
    dropped(worktree, 'reset');
    rmSync(join(directory, 'data'), { recursive: true });
    expect(await remove(worktree)).toEqual({ ...GONE, commits: 1 });
    expect(await kept()).toEqual(['reset']);
  });

  it('are kept for each run of a name', async () => {
    for (const run of ['run_1', 'run_2']) {
      const worktree = await create();
      dropped(worktree, run);
      await worktrees.remove(worktree, { agent: 'Tests', run });
    }
    expect(await kept()).toEqual(['run_1', 'run_2']);
  });

  it('are dropped after 30 days, in every repository that still exists', async () => {
    const other = join(directory, 'other');
    await newRepository(other);
    const gone = await create({ cwd: other });
    const worktree = await create();
    dropped(worktree, 'reset');
    await remove(worktree);
    await remove(gone);
    rmSync(other, { recursive: true });
    git(repository, 'update-ref', 'refs/relay/mine', 'HEAD');
    const abandoned = join(directory, 'data/worktrees/shop/.check-123456');
    mkdirSync(abandoned);
    await worktrees.tidy(Date.now());
    expect(existsSync(abandoned)).toBe(true);
    await worktrees.tidy(Date.now() + 30 * DAY_MS - 60_000);
    expect(existsSync(abandoned)).toBe(false);
    expect(await kept()).toEqual(['reset']);
    // The daemon was restarted meanwhile.
    await new GitWorktrees(join(directory, 'data')).tidy(Date.now() + 30 * DAY_MS + 60_000);
    expect(await kept()).toEqual([]);
    expect(git(repository, 'rev-parse', 'refs/relay/mine')).toBe(git(repository, 'rev-parse', 'HEAD'));
  });
});

describe('a worktree that git cannot complete', () => {
  it('leaves no branch and no files', async () => {
    commit(repository, 'Filtered', { '.gitattributes': '*.txt filter=missing\n' });
    git(repository, 'config', 'filter.missing.smudge', 'false');
    git(repository, 'config', 'filter.missing.required', 'true');
    await expect(create()).rejects.toMatchObject({
      code: 'NoWorktree',
      message: expect.stringMatching(/^git could not create the worktree: /),
    });
    expect(branches()).toBe('main');
    expect(readdirSync(join(directory, 'data/worktrees/shop'))).toEqual([]);
    expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1);
  });
});

function staged(path: string): void {
  writeFileSync(join(path, 'README.md'), 'staged');
  git(path, 'add', 'README.md');
  writeFileSync(join(path, 'README.md'), 'Hello\n');
}

function flagged(path: string, flag: string): void {
  git(path, 'update-index', flag, 'README.md');
  writeFileSync(join(path, 'README.md'), 'x');
}

function monitored(path: string): void {
  const monitor = join(directory, 'monitor');
  writeFileSync(monitor, "#!/bin/sh\nprintf 'token\\0'\n", { mode: 0o755 });
  git(path, 'config', 'core.fsmonitor', monitor);
  git(path, 'config', 'core.fsmonitorHookVersion', '2');
  git(path, 'status');
  writeFileSync(join(path, 'README.md'), 'x');
}
