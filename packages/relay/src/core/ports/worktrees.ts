/** A git worktree of one agent. */
export interface Worktree {
  path: string;
  branch: string;
  /** The git directory that all worktrees of the repository share. */
  repository: string;
}

export interface WantedWorktree {
  /** The agent's name: its branch is named after it. */
  name: string;
  /** Where worktrees of one project are kept together: a plain file name. */
  area: string;
  /** A directory in the repository. */
  cwd: string;
  /** A shell command to run in the new worktree. */
  setup: string | undefined;
  /** Default: the daemon's environment. */
  env: Record<string, string> | undefined;
  /** What is being done, and the latest output of the set-up command. */
  onProgress: (text: string) => void;
  /** Called with where it will be; nothing is made before that resolves. */
  planned: (worktree: Worktree) => Promise<void>;
  /** Ends the set-up command. */
  signal: AbortSignal;
}

/** Git worktrees of agents, outside the directories of their repositories. */
export interface Worktrees {
  /**
   * Makes a worktree from the local HEAD, on a new branch, and sets it up. Resolves with the directory in it that corresponds
   * to `cwd`. Throws `NoWorktree` before anything is changed, or `SetupFailed`, after which the worktree is removed as
   * `remove` does.
   */
  create(wanted: WantedWorktree): Promise<{ worktree: Worktree; cwd: string }>;
  /**
   * Removes a worktree and its branch, unless work could get lost: with changes, with untracked files, or with commits that
   * no other branch or tag has. Resolves with why it was kept; undefined if it is gone.
   */
  remove(worktree: Worktree): Promise<string | undefined>;
  /** The same for one that was planned and never used: it may be half made, or not made at all. */
  discard(worktree: Worktree): Promise<string | undefined>;
}
