import type { Migration } from './migration.ts';

/** The browsers that are signed in to the dashboard. */
export const pageSessions: Migration = [
  `CREATE TABLE page_sessions (
    id {{text}} PRIMARY KEY,
    workspace_id bigint NOT NULL,
    hash {{text}} NOT NULL,
    browser {{text}},
    created_at bigint NOT NULL,
    used_at bigint NOT NULL,
    expires_at bigint NOT NULL
  )`,
];
