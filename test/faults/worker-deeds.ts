import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { GitWorktrees } from '../../packages/relay/src/daemon/worktrees/git-worktrees.ts';
import { commit, git, newRepository } from '../kit/repository.ts';
import { DEED_NAMES } from '../kit/worker-deeds.ts';
import { type Deeds, releaseAfter, someDeeds } from '../kit/worker-release.ts';
import { CannotRun, type Fault } from './fault.ts';
import { fill, mountSmallDisk } from './kit/small-disk.ts';

const DISK_BYTES = 8 * 1024 * 1024;
const MOST_DEEDS = 8;

/** Each deed alone, after two commits, merged, given up. */
const histories = (deed: Deeds[number]): Deeds[] => [
  [deed],
  ...(['is merged', 'has its work on a branch', 'starts over'] as const).map(
    (end): Deeds => [['commits', 1], ['commits', 2], deed, [end, 4]],
  ),
];

/** Workers do in their worktrees what git allows, and hide some of it, then they are released. */
export const workerDeeds: Fault = {
  name: 'worker-deeds',
  what: 'commits dropped, changes hidden from git, then a release: every commit and file is still there, or was said to go',
  async run({ short, seed, say }) {
    const counts = { removed: 0, kept: 0, commits: 0 };
    const release = async (deeds: Deeds) => {
      const { kept, commits } = await releaseAfter(deeds);
      counts[kept ? 'kept' : 'removed'] += 1;
      counts.commits += commits;
    };
    for (const deed of DEED_NAMES)
      for (const deeds of histories([deed, 3]).slice(0, short ? 1 : undefined)) await release(deeds);
    const numRuns = short ? 25 : 1000;
    await fc.assert(fc.asyncProperty(someDeeds(MOST_DEEDS), release), { seed, numRuns });
    assert(counts.removed > 0 && counts.kept > 0 && counts.commits > 0);
    say(
      `${counts.removed} worktrees removed, ${counts.kept} kept, ${counts.commits} commits kept (seed ${seed})`,
    );
    await onFullDisks(say);
  },
};

/** The data directory or the repository is on a full disk. */
async function onFullDisks(say: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'relay-full-'));
  try {
    for (const where of ['data', 'repository'] as const) {
      using disk = mountSmallDisk(DISK_BYTES);
      const at = { data: join(directory, `${where}-data`), repository: join(directory, `${where}-shop`) };
      at[where] = join(disk.path, where);
      await onFullDisk(at, join(disk.path, 'ballast'));
    }
    say('full disks: no branch and no part of a worktree left, no commit lost');
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    say(`full disks: skipped, ${error.message}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function onFullDisk(
  { data, repository }: { data: string; repository: string },
  ballast: string,
): Promise<void> {
  await newRepository(repository, { 'big.bin': 'all work and no play '.repeat(10_000) });
  const worktrees = new GitWorktrees(data);
  const create = (name: string) =>
    worktrees.create({
      ...{ name, area: 'shop', cwd: repository, setup: undefined, env: undefined },
      onProgress: () => undefined,
    });
  const { worktree } = await create('Early');
  const id = commit(worktree.path, 'Dropped', { 'a.txt': 'a' });
  git(worktree.path, 'reset', '--quiet', '--hard', 'HEAD~1');
  fill(ballast);
  await assert.rejects(create('Late'));
  assert.deepEqual(readdirSync(join(data, 'worktrees/shop')), ['Early']);
  assert.equal(git(repository, 'branch', '--list', 'relay/Late'), '');
  assert.deepEqual(readdirSync(join(repository, '.git/worktrees')), ['Early']);
  const { kept } = await worktrees.remove(worktree, { agent: 'Early', run: 'run_1' });
  assert.equal(existsSync(worktree.path), kept !== undefined);
  rmSync(ballast);
  await worktrees.remove(worktree, { agent: 'Early', run: 'run_1' });
  assert.equal(existsSync(worktree.path), false);
  assert(git(repository, 'rev-list', '--all').includes(id));
}
