import type { Migration } from './migration.ts';

/** The request that a run was started for. */
export const runRequests: Migration = ['ALTER TABLE runs ADD COLUMN request {{text}}'];
