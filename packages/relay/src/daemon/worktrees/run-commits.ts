import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from '@agent-relay/platform';
import { type GitResult, git } from '../../git/git.ts';
import { noneIfMissing, type OpenWorktree } from './git-files.ts';

const ID = /(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])/g;
/** What the index and the repositories of submodules name are no commits of this repository. */
const SKIPPED = /^(index|sharedindex\..*|objects|modules)$/;

/**
 * Every commit that git's files about a worktree and its branch name: HEAD and where it was before (amend, reset, rebase,
 * detached), the branch's log, ORIG_HEAD, and whatever a merge, rebase, cherry-pick or bisect that is under way has noted.
 */
export async function commitsOfRun({ common, admin, branch }: OpenWorktree): Promise<string[]> {
  const texts = await textsIn(admin);
  const log = await readIfThere(join(common, 'logs/refs/heads', branch));
  if (log) texts.push(log);
  // For repositories whose logs are not files.
  for (const [gitDir, ref] of [
    [admin, 'HEAD'],
    [common, `refs/heads/${branch}`],
  ] as const)
    texts.push((await git({ gitDir }, ['rev-list', '--walk-reflogs', ref, '--'])).stdout);
  const ids = new Set(texts.flatMap((text) => text.match(ID) ?? []));
  const input = [...ids].map((id) => `${id}^{commit}\n`).join('');
  const { stdout } = await git({ gitDir: common }, ['cat-file', '--batch-check=%(objectname)'], { input });
  return [...new Set(stdout.split('\n').filter((line) => /^[0-9a-f]+$/.test(line)))];
}

/** The texts of all files in and below a directory. */
async function textsIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(noneIfMissing);
  const found = entries
    .filter(({ name }) => !SKIPPED.test(name))
    .map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return await textsIn(path);
      return entry.isFile() ? [await readFile(path, 'latin1')] : [];
    });
  return (await Promise.all(found)).flat();
}

/** Of some commits and their history, those that no branch, no tag and nothing in `kept` reaches; `tips` leads to all of them. */
export async function unreached(
  common: string,
  commits: readonly string[],
  { except = [], kept }: { except?: readonly string[]; kept?: string },
): Promise<{ tips: string[]; count: number } | GitResult> {
  if (commits.length === 0) return { tips: [], count: 0 };
  const args = [
    ...['rev-list', '--parents', '--stdin', '--not', ...except.map((branch) => `--exclude=${branch}`)],
    ...['--branches', '--tags', '--remotes', ...(kept === undefined ? [] : [`--glob=${kept}*`])],
  ];
  const found = await git({ gitDir: common }, args, { input: `${commits.join('\n')}\n` });
  if (found.code !== 0) return found;
  const lines = found.stdout.split('\n').filter((line) => line !== '');
  const parents = new Set(lines.flatMap((line) => line.split(' ').slice(1)));
  const ids = lines.map((line) => line.split(' ')[0] ?? '');
  return { tips: ids.filter((id) => !parents.has(id)), count: ids.length };
}
