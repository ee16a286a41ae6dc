import { MAX_PAGE_BYTES, type StoredMessage } from '../../core/ports/store/messages.ts';
import { rows, type Script } from './script.ts';
import type { Fragment } from './visibility.ts';

/** The columns of a message with its names; left joins, so that `m` always drives the plan. */
export const MESSAGE = `m.seq, m.id, m.workspace_id AS "workspaceId", m.conversation_id AS "conversationId",
  m.sender_id AS "senderId", m.unverified, m.body, m.thread, m.reply_to AS "replyTo", m.kind, m.importance,
  m.awaits_reply AS "awaitsReply", m.created_at AS "createdAt", m.expires_at AS "expiresAt",
  m.mentions, m.attachments, m.redacted_at AS "redactedAt",
  sender.name AS "senderName", COALESCE(sender.workspace_id, 0) AS "senderWorkspaceId",
  conversation.kind AS "conversationKind", conversation.key AS "conversationKey",
  conversation.name AS "channelName",
  CASE conversation.kind WHEN 'dm' THEN (
    SELECT agents.name FROM deliveries JOIN agents ON agents.id = deliveries.recipient_id
    WHERE deliveries.message_seq = m.seq LIMIT 1
  ) END AS "recipientName"`;
export const MESSAGE_NAMES = `LEFT JOIN agents AS sender ON sender.id = m.sender_id
  LEFT JOIN conversations AS conversation ON conversation.id = m.conversation_id`;

/**
 * The rows of a query with a column `seq` that fit in a page, in `order`, as a table. Only the lengths of the
 * bodies are used, which both databases know without reading them.
 */
export const fitting = ({ sql, params }: Fragment, order: 'ASC' | 'DESC'): Fragment => ({
  sql: `(SELECT * FROM (
    SELECT listed.*, sum(octet_length(m.body)) OVER (
      ORDER BY listed.seq ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS bytes_before FROM (${sql}) AS listed CROSS JOIN messages AS m WHERE m.seq = listed.seq
  ) AS measured WHERE bytes_before IS NULL OR bytes_before <= ?)`,
  params: [...params, MAX_PAGE_BYTES],
});

/** The messages that fit in a page, newest first. */
export function* newestFitting(seqs: number[]): Script<MessageRow[]> {
  const page = fitting(
    { sql: 'SELECT value AS seq FROM {{numbers}} AS wanted', params: [JSON.stringify(seqs)] },
    'DESC',
  );
  return yield* rows<MessageRow>(
    `SELECT ${MESSAGE} FROM ${page.sql} AS page CROSS JOIN messages AS m ${MESSAGE_NAMES}
     WHERE m.seq = page.seq ORDER BY m.seq DESC`,
    page.params,
  );
}

type Nullable = 'thread' | 'replyTo' | 'expiresAt' | 'redactedAt' | 'channelName' | 'recipientName';

type Flag = 'unverified' | 'awaitsReply';

export type MessageRow = Omit<StoredMessage, Nullable | Flag | 'mentions' | 'attachments'> & {
  [Field in Nullable]: Exclude<StoredMessage[Field], undefined> | null;
} & { [Field in Flag]: number } & { mentions: string | null; attachments: string | null };

export const toMessage = (row: MessageRow): StoredMessage => ({
  ...row,
  unverified: row.unverified === 1,
  thread: row.thread ?? undefined,
  replyTo: row.replyTo ?? undefined,
  awaitsReply: row.awaitsReply === 1,
  expiresAt: row.expiresAt ?? undefined,
  mentions: row.mentions === null ? [] : JSON.parse(row.mentions),
  attachments: row.attachments === null ? [] : JSON.parse(row.attachments),
  redactedAt: row.redactedAt ?? undefined,
  channelName: row.channelName ?? undefined,
  recipientName: row.recipientName ?? undefined,
});

export const queries = {
  *hasSent(senderId: number, clientId: string): Script<boolean> {
    const found = yield* rows('SELECT 1 AS yes FROM messages WHERE sender_id = ? AND client_id = ?', [
      senderId,
      clientId,
    ]);
    return found.length > 0;
  },

  *listMessages(query: { workspaceId: number; after: number; limit: number }): Script<StoredMessage[]> {
    const page = fitting(
      {
        sql: 'SELECT seq FROM messages WHERE workspace_id = ? AND seq > ? ORDER BY seq LIMIT ?',
        params: [query.workspaceId, query.after, query.limit],
      },
      'ASC',
    );
    const found = yield* rows<MessageRow>(
      `SELECT ${MESSAGE} FROM ${page.sql} AS page CROSS JOIN messages AS m ${MESSAGE_NAMES}
       WHERE m.seq = page.seq ORDER BY m.seq`,
      page.params,
    );
    return found.map(toMessage);
  },

  *lastSeq(workspaceId: number): Script<number> {
    const [row] = yield* rows<{ seq: number | null }>(
      'SELECT max(seq) AS seq FROM messages WHERE workspace_id = ?',
      [workspaceId],
    );
    return row?.seq ?? 0;
  },

  *findReply(query: {
    senderId: number;
    recipientId: number;
    after: number;
    question: { seq: number; id: string; thread: string };
  }): Script<StoredMessage | undefined> {
    const { senderId, recipientId, after, question } = query;
    const free = `JOIN deliveries AS d ON d.recipient_id = ? AND d.message_seq = r.seq AND d.answers IS NULL`;
    const [row] = yield* rows<MessageRow>(
      `SELECT ${MESSAGE} FROM messages AS m ${MESSAGE_NAMES} WHERE m.seq = (
         SELECT min(seq) FROM (
           SELECT r.seq FROM messages AS r ${free}
           WHERE r.workspace_id = (SELECT workspace_id FROM agents WHERE id = ?) AND r.thread = ?
             AND r.sender_id = ? AND r.seq > ?
           UNION ALL
           SELECT r.seq FROM messages AS r ${free} WHERE r.reply_to = ? AND r.sender_id = ? AND r.seq > ?
           UNION ALL
           SELECT message_seq AS seq FROM deliveries WHERE answers = ? AND recipient_id = ? AND message_seq > ?
         ) AS found)`,
      [
        ...[recipientId, recipientId, question.thread, senderId, after],
        ...[recipientId, question.id, senderId, after],
        ...[question.seq, recipientId, after],
      ],
    );
    return row && toMessage(row);
  },
};

export const commands = {
  *noteAnswer(answer: { recipientId: number; seq: number; question: number }): Script<void> {
    yield* rows(
      'UPDATE deliveries SET answers = ? WHERE recipient_id = ? AND message_seq = ? AND answers IS NULL',
      [answer.question, answer.recipientId, answer.seq],
    );
  },
};
