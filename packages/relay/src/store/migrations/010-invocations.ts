import type { Migration } from './migration.ts';

/** Actions that were invoked, and how they ended; `caller_id` is 0 for the owner of the daemon. */
export const invocations: Migration = [
  `CREATE TABLE invocations (
    workspace_id bigint NOT NULL,
    id {{text}} NOT NULL,
    action {{text}} NOT NULL,
    owner {{text}} NOT NULL,
    owner_id bigint,
    caller {{text}} NOT NULL,
    caller_id bigint NOT NULL,
    input {{text}} NOT NULL,
    node {{text}} NOT NULL,
    status {{text}} NOT NULL,
    invoked_at bigint NOT NULL,
    ended_at bigint,
    result {{text}},
    error {{text}},
    PRIMARY KEY (workspace_id, id)
  )`,
  'CREATE INDEX invocations_by_caller ON invocations (workspace_id, caller_id, invoked_at)',
  'CREATE INDEX invocations_by_owner ON invocations (workspace_id, owner_id, invoked_at)',
  'CREATE INDEX invocations_by_time ON invocations (workspace_id, invoked_at)',
  'CREATE INDEX invocations_by_end ON invocations (ended_at)',
  'CREATE INDEX invocations_open ON invocations (node) WHERE ended_at IS NULL',
];
