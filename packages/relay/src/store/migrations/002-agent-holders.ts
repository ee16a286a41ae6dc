import type { Migration } from './migration.ts';

/** Which client program registered an agent's name, and which one was connected as the agent last. */
export const agentHolders: Migration = [
  'ALTER TABLE agents ADD COLUMN registered_by {{text}}',
  'ALTER TABLE agents ADD COLUMN held_by {{text}}',
];
