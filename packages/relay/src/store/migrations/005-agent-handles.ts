import type { Migration } from './migration.ts';

/** A second name for an agent. Writing it checks that it is not another agent's name. */
export const agentHandles: Migration = [
  'ALTER TABLE agents ADD COLUMN handle {{text}}',
  'ALTER TABLE agents ADD COLUMN handle_skeleton {{text}}',
  'CREATE UNIQUE INDEX agents_by_handle ON agents (workspace_id, lower(handle)) WHERE removed_at IS NULL',
  'CREATE UNIQUE INDEX agents_by_handle_skeleton ON agents (workspace_id, handle_skeleton) WHERE removed_at IS NULL',
];
