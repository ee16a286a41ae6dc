import type { Migration } from './migration.ts';

/** How many messages each sender stored per minute, as far as messages are indexed. */
export const messageCounts: Migration = [
  `CREATE TABLE message_counts (
    workspace_id bigint NOT NULL,
    minute bigint NOT NULL,
    sender_id bigint NOT NULL,
    messages bigint NOT NULL,
    PRIMARY KEY (workspace_id, minute, sender_id)
  ) {{keyed}}`,
  `INSERT INTO message_counts (workspace_id, minute, sender_id, messages)
   SELECT workspace_id, created_at / 60000, sender_id, count(*) FROM messages
   WHERE seq <= (SELECT seq FROM indexed)
   GROUP BY workspace_id, created_at / 60000, sender_id`,
];
