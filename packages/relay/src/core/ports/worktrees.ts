/** A git worktree of one agent. */
export interface Worktree {
  path: string;
  branch: string;
  /** The git directory that all worktrees of the repository share. */
  repository: string;
  /** The commit it was made from. */
  base?: string;
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
  planned?: (worktree: Worktree) => Promise<void>;
  /** Ends the set-up command. */
  signal?: AbortSignal;
}

/** Whose work was in a worktree. */
export interface RunName {
  agent: string;
  run: string;
}

/** What became of a worktree. */
export interface Removal {
  /** Why it was not removed, and what to do before removing it. */
  kept?: { why: string; next: string };
  /** How many commits that no branch or tag has were kept in the repository: `agent-relay kept list`. */
  commits: number;
  /** What was removed with it although git ignores it. */
  ignored: { files: number; names: string[] };
}

/** Git worktrees of agents, outside the directories of their repositories. */
export interface Worktrees {
  /**
   * Makes a worktree from the local HEAD, on a new branch, and sets it up. Resolves with the directory in it that corresponds
   * to `cwd`. Throws `NoWorktree`, and leaves nothing behind, or `SetupFailed`, after which the worktree is removed as
   * `remove` does.
   */
  create(wanted: WantedWorktree): Promise<{ worktree: Worktree; cwd: string }>;
  /**
   * Removes a worktree and its branch, unless work could get lost: with changes, with files that git did not ignore in the
   * commit it was made from, or with commits that no other branch or tag has. Other commits of the run that would get
   * lost (amended, reset, on no branch) are kept in the repository for 30 days.
   */
  remove(worktree: Worktree, of: RunName): Promise<Removal>;
  /** The same for one that was planned and never used: it may be half made, or not made at all. */
  discard(worktree: Worktree, of: RunName): Promise<Removal>;
  /** Drops kept commits whose time is over at `now`. */
  tidy(now: number): Promise<void>;
}
