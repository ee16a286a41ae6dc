import { type LeftWorktree, type OperationParams, RelayError } from '@agent-relay/protocol';
import type { Processes } from '../ports/processes.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Removal, RunName, Worktree, Worktrees } from '../ports/worktrees.ts';
import { isUsersOwn, type Principal } from '../principal.ts';
import type { Cli } from './clis.ts';
import { isPerson } from './permissions.ts';

export interface Workplace {
  /** The CLI's program. */
  file: string;
  cwd: string;
}

/** Where an agent with a worktree of its own works. */
interface WorktreeWish {
  name: string;
  cwd: string;
  env: Record<string, string> | undefined;
  setup: string | undefined;
  onProgress: (text: string) => void;
  /** Stores where it will be, before anything is made. */
  planned: (worktree: Worktree) => Promise<void>;
  /** Ends its set-up. */
  signal: AbortSignal;
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

  /** Looks for the program and the directory. */
  async find(
    principal: Principal,
    cli: Cli,
    { cwd, env, worktree: wantsWorktree, setup }: OperationParams<'SPAWN'>,
  ): Promise<Workplace> {
    const { processes, anywhere } = this.#parts;
    const { root } = principal.workspace;
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
    return { file: found.file, cwd: found.cwd };
  }

  /** Makes a worktree and sets it up; resolves with the directory to work in. If that fails, nothing of it is left. */
  async makeWorktree({ directory }: Workspace, { setup, ...wish }: WorktreeWish): Promise<string> {
    const { worktrees, setup: usual } = this.#parts;
    return (await worktrees.create({ ...wish, area: directory, setup: setup ?? usual })).cwd;
  }

  /** Removes the worktree of a workplace that is not used any more; resolves with what there is to say about it. */
  async leave(worktree: Worktree | undefined, of: RunName): Promise<LeftWorktree | undefined> {
    if (!worktree) return undefined;
    return leftOf(worktree, await this.#parts.worktrees.remove(worktree, of));
  }

  /** The same for one in which no agent was started: the daemon was killed, perhaps while it was made. */
  async discard(worktree: Worktree | undefined, of: RunName): Promise<LeftWorktree | undefined> {
    return worktree && leftOf(worktree, await this.#parts.worktrees.discard(worktree, of));
  }
}

function leftOf({ path, branch }: Worktree, { kept, commits, ignored }: Removal): LeftWorktree | undefined {
  if (!kept && commits === 0 && ignored.files === 0) return undefined;
  return {
    ...{ path, branch },
    ...(kept && { kept: kept.why, next: kept.next }),
    ...(commits === 0 ? {} : { commits }),
    ...(ignored.files === 0 ? {} : { ignored }),
  };
}
