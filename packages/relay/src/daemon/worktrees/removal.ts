import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isThere, systemReason } from '@agent-relay/platform';
import { isRelayError, shellWord } from '@agent-relay/protocol';
import type { Removal, RunName, Worktree } from '../../core/ports/worktrees.ts';
import { git } from '../../git/git.ts';
import { keep, refsOf } from '../../git/kept-commits.ts';
import { adminDirectory, asked, type OpenWorktree } from './git-files.ts';
import { GitFailure, Inspection } from './inspection.ts';
import { commitsOfRun, unreached } from './run-commits.ts';

const NOTHING = { commits: 0, ignored: { files: 0, names: [] } };
const TAKE_FILES = 'Commit or copy what you need first.';

/** Removes worktrees, one at a time: two that have the same commits must not both rely on the other's branch. */
export class Remover {
  #removing: Promise<unknown> = Promise.resolve();

  /** Whatever happens, no commit and no file is lost silently: what cannot be told is kept. */
  async remove(worktree: Worktree, of: RunName): Promise<Removal> {
    try {
      const { path, branch, repository: common } = worktree;
      const admin = await adminDirectory(common, path);
      if (admin === undefined && existsSync(path))
        return kept('its repository does not know it', 'Copy what you need first.');
      if (admin === undefined) {
        await removeUnusedBranch(worktree);
        return NOTHING;
      }
      const open = { path, branch, common, admin };
      // Its user removed the directory; git still knows where HEAD was.
      if (!existsSync(path)) return { ...NOTHING, commits: await this.#keepCommits(open, of, []) };
      if (await isThere(join(admin, 'locked')))
        return kept('it is locked', `Unlock it first: git worktree unlock ${shellWord(path)}`);
      return await this.#inspected(open, worktree.base, of);
    } catch (error) {
      return kept(whyUnknown(error), 'Copy what you need first.');
    }
  }

  async #inspected(open: OpenWorktree, base: string | undefined, of: RunName): Promise<Removal> {
    const inspection = await Inspection.open(open, base);
    try {
      const changes = await inspection.changes();
      return await this.#inTurn(async () => {
        const work = changes === undefined ? await unmerged(open) : kept(changes, TAKE_FILES);
        if (work) return { ...work, commits: await this.#keepCommits(open, of, []) };
        const commits = await this.#keepCommits(open, of, [open.branch]);
        const ignored = await inspection.ignored();
        // Once more: something may still be writing. It is quick, because the new index knows the files by now.
        const late = await inspection.changes();
        if (late !== undefined) return { ...kept(late, TAKE_FILES), commits };
        await removeFiles(open);
        return { commits, ignored };
      });
    } finally {
      await inspection.close();
    }
  }

  /** `gone`: branches that will not keep them. Resolves with the number of commits. */
  async #keepCommits(open: OpenWorktree, of: RunName, gone: string[]): Promise<number> {
    const named = await commitsOfRun(open);
    const found = await unreached(open.common, named, { except: gone, kept: refsOf(of) });
    if ('code' in found) throw new GitFailure(found);
    await keep(open.common, of, found.tips, Date.now());
    return found.count;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#removing.then(work);
    this.#removing = done.catch(() => undefined);
    return done;
  }
}

/** Commits of the agent's branch, or of what is checked out now, that no other branch or tag has: they wait to be merged. */
async function unmerged(open: OpenWorktree): Promise<Removal | undefined> {
  const { common, branch } = open;
  const { stdout: current } = await asked(open, ['branch', '--show-current']);
  const own = [...new Set([branch, ...(current === '' ? [] : [current])])];
  const idOf = async (name: string) =>
    (await asked(open, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`])).stdout;
  const tips = await Promise.all([...own.map((name) => `refs/heads/${name}`), 'HEAD'].map(idOf));
  for (const [index, id] of tips.entries()) {
    if (id === '') continue;
    const found = await unreached(common, [id], { except: own });
    if ('code' in found) throw new GitFailure(found);
    if (found.count > 0)
      return kept(
        'it has commits that no other branch has',
        `Merge them first: git merge ${own[index] ?? id.slice(0, 12)}`,
      );
  }
  return undefined;
}

async function removeFiles({ path, branch, common }: OpenWorktree): Promise<void> {
  const head = `refs/heads/${branch}`;
  const tip = await git({ gitDir: common }, ['rev-parse', '--verify', '--quiet', head]);
  // Git would only ask the index of the worktree again.
  const removed = await git({ gitDir: common }, ['worktree', 'remove', '--force', path]);
  if (removed.code !== 0) throw new GitFailure(removed);
  if (tip.code === 0) await git({ gitDir: common }, ['update-ref', '-d', head, tip.stdout]);
}

/** The daemon was killed after it had removed the worktree of this branch, before it removed the branch. */
async function removeUnusedBranch({ branch, repository: common }: Worktree): Promise<void> {
  const head = `refs/heads/${branch}`;
  const tip = await git({ gitDir: common }, ['rev-parse', '--verify', '--quiet', head]);
  if (tip.code !== 0) return;
  const found = await unreached(common, [tip.stdout], { except: [branch] });
  if ('count' in found && found.count === 0)
    await git({ gitDir: common }, ['update-ref', '-d', head, tip.stdout]);
}

const kept = (why: string, next: string): Removal => ({ ...NOTHING, kept: { why, next } });

function whyUnknown(error: unknown): string {
  if (error instanceof GitFailure) return error.message;
  // Git was uninstalled, or could not write.
  if (isRelayError(error)) return error.message.replace(/\.$/, '');
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  return `it could not be checked: ${systemReason(error, 'a file is missing')}`;
}
