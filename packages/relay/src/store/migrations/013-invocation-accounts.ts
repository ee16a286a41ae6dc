import type { Migration } from './migration.ts';

/** Whose quota an invocation counts for, and its size: the index alone tells which ended ones to delete. */
export const invocationAccounts: Migration = [
  'ALTER TABLE invocations ADD COLUMN account {{text}}',
  'ALTER TABLE invocations ADD COLUMN bytes bigint',
  `UPDATE invocations SET
     account = COALESCE((SELECT CASE WHEN agents.account IS NULL OR agents.account = 'local'
       THEN 'agent ' || agents.id ELSE agents.account END FROM agents WHERE agents.id = caller_id), 'local'),
     bytes = octet_length(input) + COALESCE(octet_length(result), 0) + COALESCE(octet_length(error), 0)`,
  `CREATE INDEX invocations_ended ON invocations (workspace_id, account, invoked_at, id, bytes, ended_at)
   WHERE ended_at IS NOT NULL`,
];
