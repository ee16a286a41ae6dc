import type { Migration } from './migration.ts';

/** What the owner allowed an agent. */
export const agentGrants: Migration = ["ALTER TABLE agents ADD COLUMN grants {{text}} NOT NULL DEFAULT '[]'"];
