import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import type { Removal } from '../../packages/relay/src/core/ports/worktrees.ts';
import { GitWorktrees } from '../../packages/relay/src/daemon/worktrees/git-worktrees.ts';
import { commit, git, newRepository } from './repository.ts';
import { type Bench, DEED_NAMES, type DeedName, does } from './worker-deeds.ts';

/** What the commit that the worktrees are made from ignores. */
const IGNORED = /^build\/|\.log$/;
const STASHED = /^(WIP on|On|index on|untracked files on|autostash)/;

export type Deeds = Array<[DeedName, number]>;

/** Deeds in random order; often the work is merged or given up at the end, so that the worktree can go. */
export const someDeeds = (most: number): fc.Arbitrary<Deeds> =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom(...DEED_NAMES), fc.nat(7)), { minLength: 1, maxLength: most }),
      fc.constantFrom<Deeds>([], [['starts over', 0]], [['has its work on a branch', 99]]),
    )
    .map(([deeds, end]) => [...deeds, ...end]);

/** A worker does these deeds and is released. Throws if anything is lost that was not said to go. */
export async function releaseAfter(deeds: Deeds): Promise<Removal> {
  const directory = mkdtempSync(join(tmpdir(), 'relay-deeds-'));
  try {
    const repository = join(directory, 'shop');
    await newRepository(repository, {
      ...{ '.gitignore': 'build/\n*.log\n', 'README.md': 'Hello\n', 'docs/guide.md': 'Guide\n' },
      ...{ 'src/a.txt': 'a\n', 'src/b.txt': 'b\n' },
    });
    commit(repository, 'Second', { 'src/c.txt': 'c\n' });
    const worktrees = new GitWorktrees(join(directory, 'data'));
    const place = { name: 'Tests', area: 'shop', cwd: repository, setup: undefined, env: undefined };
    const { worktree } = await worktrees.create({ ...place, onProgress: () => undefined });
    const bench: Bench = {
      ...{ repository, worktree: worktree.path, branch: worktree.branch, tools: join(directory, 'tools') },
    };
    for (const [index, [deed, n]] of deeds.entries()) does(bench, deed, index * 8 + n);
    const before = {
      files: filesIn(worktree.path),
      commits: commitsIn(repository),
      stashes: stashes(repository),
    };
    const removal = await worktrees.remove(worktree, { agent: 'Tests', run: 'run_1' });
    assert.equal(existsSync(worktree.path), removal.kept !== undefined, 'it stands exactly if it was kept');
    checkFiles(worktree.path, before.files, repository, removal);
    const reached = new Set(git(repository, 'rev-list', '--all').split('\n'));
    for (const [id, subject] of before.commits) {
      // A stash is in the list of the repository; one that was taken back is in the files.
      if (!STASHED.test(subject)) assert(reached.has(id), `the commit "${subject}" is lost`);
    }
    assert.equal(stashes(repository), before.stashes);
    assert.deepEqual(
      readdirSync(join(directory, 'data/worktrees/shop')).filter((name) => name.startsWith('.')),
      [],
    );
    return removal;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function checkFiles(path: string, files: Map<string, string>, repository: string, removal: Removal): void {
  if (removal.kept) {
    assert.deepEqual(filesIn(path), files);
    return;
  }
  const objects = git(repository, 'rev-list', '--objects', '--all').split('\n');
  const blobs = new Set(objects.map((line) => line.slice(0, 40)));
  for (const [name, id] of files) {
    if (blobs.has(id)) continue;
    assert(IGNORED.test(name), `${name} is lost`);
    const isSaid = removal.ignored.names.some(
      (said) => name === said || (said.endsWith('/') && name.startsWith(said)),
    );
    assert(isSaid, `${name} went without a word`);
  }
}

/** All files, with the ids that git would give their contents, also in directories that git would not look into. */
function filesIn(top: string, directory = top): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(directory)) {
    const path = join(directory, entry);
    if (path === join(top, '.git')) continue;
    if (lstatSync(path).isDirectory()) for (const [name, id] of filesIn(top, path)) files.set(name, id);
    else files.set(relative(top, path), idOf(path));
  }
  return files;
}

function idOf(path: string): string {
  const content = lstatSync(path).isSymbolicLink() ? Buffer.from(readlinkSync(path)) : readFileSync(path);
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Every commit that was ever made, with its subject, whatever leads to it. */
function commitsIn(repository: string): Array<[id: string, subject: string]> {
  const objects = git(
    repository,
    'cat-file',
    '--batch-all-objects',
    '--batch-check=%(objecttype) %(objectname)',
  );
  const ids = objects.split('\n').flatMap((line) => (line.startsWith('commit ') ? [line.slice(7)] : []));
  const lines = git(repository, 'log', '--no-walk', '--format=%H %s', ...ids).split('\n');
  return lines.map((line) => [line.slice(0, 40), line.slice(41)]);
}

const stashes = (repository: string): string => git(repository, 'stash', 'list', '--format=%H');
