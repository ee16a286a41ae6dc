import type { Migration } from './migration.ts';

/** When an agent wants its messages while it works. */
export const attention: Migration = ['ALTER TABLE agents ADD COLUMN attention {{text}}'];
