import type { Migration } from './migration.ts';

/** How a person started an agent in their terminal. */
export const runChoices: Migration = ['ALTER TABLE runs ADD COLUMN choices {{text}}'];
