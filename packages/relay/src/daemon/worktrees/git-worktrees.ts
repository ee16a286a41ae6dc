import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ensurePrivateDirectory } from '@agent-relay/platform';
import { isRelayError, RelayError } from '@agent-relay/protocol';
import type { WantedWorktree, Worktree, Worktrees } from '../../core/ports/worktrees.ts';
import { complaintOf, git, gitWithUs } from './git.ts';
import { isHalfMade, removeHalfMade, removeUnusedBranch } from './half-made.ts';
import { freeBranch, noWorktree, repositoryAt } from './repository.ts';
import { setUp } from './set-up.ts';

/** Worktrees in the data directory, which is private to this user. */
export class GitWorktrees implements Worktrees {
  readonly #dataDirectory: string;
  readonly #stopping = new AbortController();
  /** One at a time: the next one must see the branch of the last one. */
  #adding: Promise<unknown> = Promise.resolve();

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
  }

  /** Ends set-up commands that are running. */
  close(): void {
    this.#stopping.abort();
  }

  async create(wanted: WantedWorktree): Promise<{ worktree: Worktree; cwd: string }> {
    const { cwd, setup, env, onProgress } = wanted;
    const { common, prefix } = await repositoryAt(cwd, { hasSetup: setup !== undefined, env });
    const parent = join(this.#dataDirectory, 'worktrees', wanted.area);
    await ensurePrivateDirectory(join(this.#dataDirectory, 'worktrees'));
    await ensurePrivateDirectory(parent);
    const adding = this.#adding.then(() => this.#add(parent, common, wanted));
    this.#adding = adding.catch(() => undefined);
    const worktree = await adding;
    const signal = AbortSignal.any([this.#stopping.signal, wanted.signal]);
    const place = { cwd: worktree.path, env, onProgress, signal };
    if (setup !== undefined)
      await setUp({ ...place, command: setup }).catch((error) => this.#undo(worktree, error));
    return { worktree, cwd: join(worktree.path, prefix) };
  }

  async remove(worktree: Worktree): Promise<string | undefined> {
    try {
      if (existsSync(worktree.path)) return await this.#remove(worktree);
      // The daemon was killed before it removed the branch too.
      await removeUnusedBranch(worktree);
      return undefined;
    } catch (error) {
      // Git was uninstalled.
      if (isRelayError(error, 'CommandNotFound')) return error.message.replace(/\.$/, '');
      throw error;
    }
  }

  async discard(worktree: Worktree): Promise<string | undefined> {
    if (existsSync(worktree.repository) && (await isHalfMade(worktree))) await removeHalfMade(worktree);
    return await this.remove(worktree);
  }

  async #remove({ path, branch, repository }: Worktree): Promise<string | undefined> {
    const unsafe = (await changesIn(path)) ?? (await commitsIn(path, branch));
    if (unsafe !== undefined) return unsafe;
    const tip = await git(repository, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
    // Without force: git itself refuses what was changed meanwhile, and worktrees with submodules.
    const removed = await git(repository, ['worktree', 'remove', path]);
    if (removed.code !== 0) return `git says: ${complaintOf(removed)}`;
    if (tip.code === 0) await git(repository, ['update-ref', '-d', `refs/heads/${branch}`, tip.stdout]);
    return undefined;
  }

  async #add(
    parent: string,
    common: string,
    { name, cwd, env, onProgress, planned }: WantedWorktree,
  ): Promise<Worktree> {
    const branch = await freeBranch(common, name);
    onProgress('Creating a worktree');
    const path = freePath(join(parent, basename(branch)));
    const worktree = { path, branch, repository: common };
    await planned(worktree);
    const added = await gitWithUs(cwd, ['worktree', 'add', '--quiet', '-b', branch, path, 'HEAD'], env);
    if (added.code === 0) return worktree;
    const failure = noWorktree(
      `git could not create the worktree: ${complaintOf(added)}`,
      'Fix what git says, then try again.',
    );
    if (await isHalfMade(worktree)) await removeHalfMade(worktree);
    return await this.#undo(worktree, failure);
  }

  /** The agent has not used it yet. */
  async #undo(worktree: Worktree, error: unknown): Promise<never> {
    const kept = await this.remove(worktree);
    if (kept === undefined || !isRelayError(error)) throw error;
    const { path, branch } = worktree;
    throw new RelayError(
      error.code,
      `${error.message}\nThe worktree ${path} (branch ${branch}) was kept: ${kept}.`,
      { next: error.next, cause: error },
    );
  }
}

/** Why there is uncommitted work. Ignored files do not count: they can be recreated. */
async function changesIn(path: string): Promise<string | undefined> {
  const status = await git(path, [
    'status',
    '--porcelain',
    '--untracked-files=normal',
    '--ignore-submodules=none',
  ]);
  if (status.code !== 0) return `git says: ${complaintOf(status)}`;
  if (status.stdout === '') return undefined;
  const isUntracked = status.stdout.split('\n').every((line) => line.startsWith('??'));
  return isUntracked ? 'it has untracked files' : 'it has uncommitted changes';
}

/** Commits of the agent's branch, or of the one it is on now, that no other branch or tag has. */
async function commitsIn(path: string, branch: string): Promise<string | undefined> {
  const { stdout: current } = await git(path, ['branch', '--show-current']);
  const own = [...new Set([branch, ...(current === '' ? [] : [current])])];
  const exists = async (name: string) =>
    (await git(path, ['rev-parse', '--verify', '--quiet', `refs/heads/${name}`])).code === 0;
  const tips = (await Promise.all(own.map(async (name) => ((await exists(name)) ? [name] : [])))).flat();
  const found = await git(path, [
    ...['rev-list', '--max-count=1', 'HEAD', ...tips.map((name) => `refs/heads/${name}`)],
    ...['--not', ...own.map((name) => `--exclude=${name}`), '--branches', '--tags', '--remotes'],
  ]);
  if (found.code !== 0) return `git says: ${complaintOf(found)}`;
  return found.stdout === '' ? undefined : 'it has commits that no other branch has';
}

/** An existing directory is not touched. */
function freePath(wanted: string): string {
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${wanted}.${number}`;
    if (!existsSync(path)) return path;
  }
}
