import type { LeftWorktree } from '../operations/terminals.ts';
import { shellWord } from './shell-word.ts';

const SHOWN = 3;

/** The first few of some names. */
export const firstOf = (names: readonly string[]): string =>
  [...names.slice(0, SHOWN), ...(names.length > SHOWN ? ['…'] : [])].join(', ');

/** What became of the worktree of a released worker: what was kept, and where; what is gone. */
export function worktreeLines({ path, branch, kept, next, commits, ignored }: LeftWorktree): string[] {
  const lines: string[] = [];
  if (kept !== undefined)
    lines.push(
      `Its worktree was kept: ${kept}.`,
      `  ${path} (branch ${branch})`,
      ...(next === undefined ? [] : [next]),
      `Remove it with: git worktree remove --force ${shellWord(path)}`,
    );
  if (commits !== undefined)
    lines.push(`Kept ${counted(commits, 'commit')} that no branch has. See: agent-relay kept list`);
  if (ignored)
    lines.push(`Also removed: ${counted(ignored.files, 'ignored file')} (${firstOf(ignored.names)})`);
  return lines;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
