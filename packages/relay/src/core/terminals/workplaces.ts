import { type OperationParams, RelayError } from '@agent-relay/protocol';
import type { Processes } from '../ports/processes.ts';
import type { Worktree, Worktrees } from '../ports/worktrees.ts';
import { isUsersOwn, type Principal } from '../principal.ts';
import type { Cli } from './clis.ts';
import { isPerson } from './permissions.ts';

export interface Workplace {
  /** The CLI's program. */
  file: string;
  cwd: string;
  worktree: Worktree | undefined;
}

interface Parts {
  processes: Processes;
  worktrees: Worktrees;
  /** Whether agents may start others outside the project's directory. */
  anywhere: boolean;
  /** The set-up command of worktrees. */
  setup: string | undefined;
}

/** Where spawned agents work: in a directory of the project, or in a worktree of their own. */
export class Workplaces {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async find(
    principal: Principal,
    cli: Cli,
    { name, cwd, env, worktree: wantsWorktree, setup }: OperationParams<'SPAWN'>,
    onProgress: (text: string) => void,
  ): Promise<Workplace> {
    const { processes, worktrees, anywhere } = this.#parts;
    const { root, directory } = principal.workspace;
    if (setup !== undefined && !wantsWorktree)
      throw new RelayError('InvalidRequest', 'A set-up command is for a worktree.', {
        details: { field: 'setup' },
        next: 'Add --worktree, or omit the set-up command.',
      });
    if (setup !== undefined && !isUsersOwn(principal))
      throw new RelayError('Forbidden', "A set-up command can be given on the daemon's machine only.", {
        next: 'Omit it: the setting spawn.setup is used.',
      });
    const found = await processes.locate({ command: cli.command, cwd, root, env });
    if (!found.isInside && !anywhere && !isPerson(principal))
      throw new RelayError('Forbidden', `${found.cwd} is not in the project's directory.`, {
        next: 'Omit cwd, or ask the user to allow it with "spawn": {"anywhere": true} in settings.json.',
      });
    const { file } = found;
    if (!wantsWorktree) return { file, cwd: found.cwd, worktree: undefined };
    const made = await worktrees.create({
      ...{ name, area: directory, cwd: found.cwd, env, onProgress },
      setup: setup ?? this.#parts.setup,
    });
    return { file, ...made };
  }

  /** Removes the worktree of an unused workplace; resolves with why it was kept, if it was. */
  async leave({ worktree }: { worktree: Worktree | undefined }): Promise<string | undefined> {
    return worktree && (await this.#parts.worktrees.remove(worktree));
  }
}

/** The location of a kept worktree, and how to remove it. */
export const keptText = ({ path, branch }: Worktree, why: string): string =>
  `The worktree was kept: ${why}.\n${path} (branch ${branch})\nRemove it with: git worktree remove --force ${path}`;
