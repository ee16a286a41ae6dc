import type { CountQuery, MinuteCount } from '../../core/ports/store/counts.ts';
import { rows, type Script } from './script.ts';

/** Kept with the index: what is not indexed yet is counted from the messages; there are few. */
const COUNTED = `SELECT workspace_id, created_at / 60000 AS minute, sender_id, count(*) AS messages FROM messages`;

/** Counts newly indexed messages. */
export function* addCounts(first: number, last: number): Script<void> {
  yield* rows(
    `INSERT INTO message_counts (workspace_id, minute, sender_id, messages)
     ${COUNTED} WHERE seq BETWEEN ? AND ? GROUP BY workspace_id, created_at / 60000, sender_id
     ON CONFLICT (workspace_id, minute, sender_id)
       DO UPDATE SET messages = message_counts.messages + excluded.messages`,
    [first, last],
  );
}

/** Counts messages no longer, before they are deleted. */
export function* removeCounts(seqs: number[]): Script<void> {
  const list = JSON.stringify(seqs);
  const removed = `(${COUNTED} WHERE seq IN {{numbers}} AND seq <= (SELECT seq FROM indexed)
    GROUP BY workspace_id, created_at / 60000, sender_id) AS removed`;
  const isRemoved = `removed.workspace_id = message_counts.workspace_id AND removed.minute = message_counts.minute
    AND removed.sender_id = message_counts.sender_id`;
  yield* rows(
    `UPDATE message_counts SET messages = message_counts.messages - removed.messages FROM ${removed} WHERE ${isRemoved}`,
    [list],
  );
  yield* rows(
    `DELETE FROM message_counts WHERE messages <= 0 AND (workspace_id, minute, sender_id) IN
       (SELECT workspace_id, created_at / 60000, sender_id FROM messages WHERE seq IN {{numbers}})`,
    [list],
  );
}

export const queries = {
  *countMessages({ workspaceId, senderId, from, until }: CountQuery): Script<MinuteCount[]> {
    const bySender = senderId === undefined ? '' : 'AND +sender_id = ?';
    const ofSender = senderId === undefined ? [] : [senderId];
    return yield* rows<MinuteCount>(
      `SELECT minute, CAST(sum(messages) AS bigint) AS messages FROM (
         SELECT minute, messages, sender_id FROM message_counts
         WHERE workspace_id = ? AND minute BETWEEN ? AND ? ${bySender}
         UNION ALL
         SELECT created_at / 60000 AS minute, 1 AS messages, sender_id FROM messages
         WHERE workspace_id = ? AND seq > (SELECT seq FROM indexed)
           AND created_at >= ? AND created_at < ? ${bySender}
       ) AS counted
       WHERE sender_id NOT IN (SELECT id FROM agents WHERE workspace_id = ? AND type = 'system' AND removed_at IS NULL)
       GROUP BY minute ORDER BY minute`,
      [
        ...[workspaceId, from, until, ...ofSender],
        ...[workspaceId, from * 60_000, (until + 1) * 60_000, ...ofSender],
        workspaceId,
      ],
    );
  },
};
