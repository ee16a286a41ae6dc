import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ensurePrivateDirectory, readIfThere } from '@agent-relay/platform';
import { isRelayError, RelayError, worktreeLines } from '@agent-relay/protocol';
import type { Removal, RunName, WantedWorktree, Worktree, Worktrees } from '../../core/ports/worktrees.ts';
import { complaintOf, git, gitWithUs } from '../../git/git.ts';
import { dropExpired } from '../../git/kept-commits.ts';
import { adminDirectory, noneIfMissing } from './git-files.ts';
import { removeAbandoned } from './inspection.ts';
import { KnownRepositories } from './known-repositories.ts';
import { Remover } from './removal.ts';
import { checkName, freeBranch, noWorktree, type Repository, repositoryAt } from './repository.ts';
import { setUp } from './set-up.ts';

/** No release takes so long. */
const ABANDONED_MS = 3_600_000;

/** Worktrees in the data directory, which is private to this user. */
export class GitWorktrees implements Worktrees {
  readonly #dataDirectory: string;
  readonly #repositories: KnownRepositories;
  readonly #remover = new Remover();
  readonly #stopping = new AbortController();
  /** One at a time: the next one must see the branch of the last one. */
  #adding: Promise<unknown> = Promise.resolve();

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
    this.#repositories = new KnownRepositories(join(dataDirectory, 'worktree-repositories'));
  }

  /** Ends set-up commands that are running. */
  close(): void {
    this.#stopping.abort();
  }

  async create(wanted: WantedWorktree): Promise<{ worktree: Worktree; cwd: string }> {
    const { name, cwd, setup, env, onProgress } = wanted;
    const repository = await repositoryAt(cwd, { hasSetup: setup !== undefined, env });
    await checkName(name);
    const parent = join(this.#dataDirectory, 'worktrees', wanted.area);
    await ensurePrivateDirectory(join(this.#dataDirectory, 'worktrees'));
    await ensurePrivateDirectory(parent);
    await this.#repositories.add(repository.common);
    const adding = this.#adding.then(() => this.#add(parent, repository, wanted));
    this.#adding = adding.catch(() => undefined);
    const worktree = await adding;
    const signal = AbortSignal.any([this.#stopping.signal, ...(wanted.signal ? [wanted.signal] : [])]);
    const place = { cwd: worktree.path, env, onProgress, signal };
    if (setup !== undefined)
      await setUp({ ...place, command: setup }).catch((error) => this.#leave(worktree, name, error));
    return { worktree, cwd: join(worktree.path, repository.prefix) };
  }

  remove(worktree: Worktree, of: RunName): Promise<Removal> {
    return this.#remover.remove(worktree, of);
  }

  async discard(worktree: Worktree, of: RunName): Promise<Removal> {
    if (await isHalfMade(worktree)) await undo(worktree);
    return await this.remove(worktree, of);
  }

  async tidy(now: number): Promise<void> {
    const all = join(this.#dataDirectory, 'worktrees');
    for (const area of await readdir(all).catch(noneIfMissing))
      await removeAbandoned(join(all, area), now - ABANDONED_MS);
    await this.#repositories.each((repository) => dropExpired(repository, now));
  }

  async #add(
    parent: string,
    { common, head }: Repository,
    { name, cwd, env, onProgress, planned }: WantedWorktree,
  ): Promise<Worktree> {
    const branch = await freeBranch(common, name);
    onProgress('Creating a worktree');
    const path = freePath(join(parent, basename(branch)));
    const worktree = { path, branch, repository: common, base: head };
    await planned?.(worktree);
    const added = await gitWithUs({ cwd }, ['worktree', 'add', '--quiet', '-b', branch, path, head], {
      env,
      mayFetch: true,
    });
    if (added.code === 0) return worktree;
    await undo(worktree);
    throw noWorktree(
      `git could not create the worktree: ${complaintOf(added)}`,
      'Fix what git says, then try again.',
    );
  }

  /** The agent has not used it yet. */
  async #leave(worktree: Worktree, agent: string, error: unknown): Promise<never> {
    const { kept } = await this.remove(worktree, { agent, run: 'set-up' });
    if (!kept || !isRelayError(error)) throw error;
    const { path, branch } = worktree;
    const lines = worktreeLines({ path, branch, kept: kept.why, next: kept.next });
    throw new RelayError(error.code, [error.message, ...lines].join('\n'), {
      next: error.next,
      cause: error,
    });
  }
}

/** Git leaves parts of a worktree that it could not complete. Nobody has worked there, and all of it is in the base. */
async function undo({ path, branch, repository, base = '' }: Worktree): Promise<void> {
  const admin = await adminDirectory(repository, path);
  await rm(path, { recursive: true, force: true });
  if (admin !== undefined) await rm(admin, { recursive: true, force: true });
  await git({ gitDir: repository }, ['update-ref', '-d', `refs/heads/${branch}`, base]);
}

/** Whether git was ended while it made the worktree: until all files are there, it keeps it locked. */
async function isHalfMade({ path, repository }: Worktree): Promise<boolean> {
  const admin = await adminDirectory(repository, path);
  if (admin === undefined || !existsSync(path)) return true;
  return (await readIfThere(join(admin, 'locked')))?.trim() === 'initializing';
}

/** A path that does not exist; the branch of an earlier one may have been deleted. */
function freePath(wanted: string): string {
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${wanted}.${number}`;
    if (!existsSync(path)) return path;
  }
}
