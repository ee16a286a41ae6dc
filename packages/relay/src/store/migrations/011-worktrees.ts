import type { Migration } from './migration.ts';

/** The git worktree of a run. */
export const worktrees: Migration = ['ALTER TABLE runs ADD COLUMN worktree {{text}}'];
