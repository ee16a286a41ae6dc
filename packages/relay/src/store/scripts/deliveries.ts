import type { Delivery, InboxQuery, Observation } from '../../core/ports/store/deliveries.ts';
import type { StoredMessage } from '../../core/ports/store/messages.ts';
import { fitting, MESSAGE, MESSAGE_NAMES, type MessageRow, toMessage } from './messages.ts';
import { orNull, rows, type Script, type Statement, storable, type Value } from './script.ts';

/** The columns that note a state; being acked shows that it was read too. */
const NOTED: { [State in Observation['state']]: [column: string, ...implied: string[]] } = {
  accepted: ['accepted_at'],
  injected: ['injected_at'],
  turn_started: ['turn_started_at'],
  read: ['read_at'],
  acked: ['acked_at', 'read_at'],
};

const UNEXPIRED = '(d.expires_at IS NULL OR d.expires_at >= ?)';

type Nullable<T> = {
  [Key in keyof T]: undefined extends T[Key] ? Exclude<T[Key], undefined> | null : T[Key];
};

type DeliveredSeq = { id: string; seq: number; senderId: number };

const UNREAD = { index: '{{unread}}', condition: 'd.read_at IS NULL' };
const READ = { index: '{{read}}', condition: 'd.read_at IS NOT NULL' };

/** Each half of what an agent got has an index in the order of `message_seq`. */
export const DELIVERED = [UNREAD, READ];

/** The first table leads: CROSS JOIN keeps SQLite from changing the order. A thread is shorter than an inbox. */
function inboxTables({ thread, unreadOnly }: InboxQuery): string[] {
  if (thread !== undefined)
    return [
      `messages AS m {{thread}} CROSS JOIN deliveries AS d WHERE ${unreadOnly ? UNREAD.condition : '1 = 1'}`,
    ];
  return (unreadOnly ? [UNREAD] : DELIVERED).map(
    ({ index, condition }) => `deliveries AS d ${index} CROSS JOIN messages AS m WHERE ${condition}`,
  );
}

function inboxFilter(query: InboxQuery): Statement {
  const conditions = ['d.recipient_id = ?', 'd.message_seq > ?', UNEXPIRED];
  const params: Value[] = [query.recipientId, query.after, query.now];
  const narrow = (condition: string, ...values: Array<Value | undefined>) => {
    if (values.includes(undefined)) return;
    conditions.push(condition);
    params.push(...(values as Value[]));
  };
  if (query.mentioned) conditions.push('d.mentioned = 1');
  narrow('d.sender_id = ?', query.fromId);
  narrow('d.conversation_id = ?', query.conversationId);
  narrow('m.kind = ?', query.kind);
  narrow(
    'm.workspace_id = (SELECT workspace_id FROM agents WHERE id = ?) AND m.thread = ?',
    query.recipientId,
    query.thread,
  );
  return { sql: conditions.join(' AND '), params };
}

export const queries = {
  *inbox(query: InboxQuery): Script<Array<StoredMessage & { readAt: number | undefined }>> {
    const { sql, params } = inboxFilter(query);
    const order = query.take === 'newest' ? 'DESC' : 'ASC';
    const parts = inboxTables(query).map(
      (tables, at) => `SELECT seq, read_at FROM (
        SELECT d.message_seq AS seq, d.read_at FROM ${tables} AND d.message_seq = m.seq AND ${sql}
        ORDER BY d.message_seq ${order} LIMIT ?) AS part${at}`,
    );
    const page = fitting(
      {
        sql: `SELECT seq, read_at FROM (${parts.join(' UNION ALL ')}) AS parts ORDER BY seq ${order} LIMIT ?`,
        params: [...parts.flatMap(() => [...params, query.limit]), query.limit],
      },
      order,
    );
    const found = yield* rows<MessageRow & { readAt: number | null }>(
      `SELECT ${MESSAGE}, page.read_at AS "readAt" FROM ${page.sql} AS page CROSS JOIN messages AS m ${MESSAGE_NAMES}
       WHERE m.seq = page.seq ORDER BY m.seq`,
      page.params,
    );
    return found.map((row) => ({ ...toMessage(row), readAt: row.readAt ?? undefined }));
  },

  *countUnread(recipientId: number, now: number): Script<number> {
    const [row] = yield* rows<{ unread: number }>(
      `SELECT count(*) AS unread FROM deliveries AS d {{unread}}
       WHERE d.recipient_id = ? AND d.read_at IS NULL AND ${UNEXPIRED}`,
      [recipientId, now],
    );
    return row?.unread ?? 0;
  },

  *deliveredSeqs(recipientId: number, messageIds: string[]): Script<DeliveredSeq[]> {
    return yield* rows<DeliveredSeq>(
      `SELECT m.id, m.seq, m.sender_id AS "senderId" FROM messages AS m WHERE m.id IN {{texts}} AND EXISTS
         (SELECT 1 FROM deliveries AS d WHERE d.recipient_id = ? AND d.message_seq = m.seq)
       ORDER BY m.seq`,
      [JSON.stringify(messageIds.map(storable)), recipientId],
    );
  },

  *deliveriesOf(seq: number): Script<Delivery[]> {
    const found = yield* rows<Nullable<Delivery>>(
      `SELECT d.recipient_id AS "recipientId", recipient.name AS "recipientName", d.message_seq AS seq, d.path,
         d.accepted_at AS "acceptedAt", d.injected_at AS "injectedAt", d.turn_started_at AS "turnStartedAt",
         d.read_at AS "readAt", d.acked_at AS "ackedAt"
       FROM deliveries AS d LEFT JOIN agents AS recipient ON recipient.id = d.recipient_id
       WHERE d.message_seq = ? ORDER BY recipient.name, d.recipient_id`,
      [seq],
    );
    return found.map((row) => ({
      ...row,
      path: row.path ?? undefined,
      acceptedAt: row.acceptedAt ?? undefined,
      injectedAt: row.injectedAt ?? undefined,
      turnStartedAt: row.turnStartedAt ?? undefined,
      readAt: row.readAt ?? undefined,
      ackedAt: row.ackedAt ?? undefined,
    }));
  },

  *readers(seq: number): Script<{ read: Array<{ agent: string; at: number }>; unread: string[] }> {
    const found = yield* rows<{ agent: string; at: number | null }>(
      `SELECT agents.name AS agent, deliveries.read_at AS at
       FROM deliveries JOIN agents ON agents.id = deliveries.recipient_id
       WHERE deliveries.message_seq = ? ORDER BY agents.name, agents.id`,
      [seq],
    );
    return {
      read: found.flatMap(({ agent, at }) => (at === null ? [] : [{ agent, at }])),
      unread: found.flatMap(({ agent, at }) => (at === null ? [agent] : [])),
    };
  },
};

export const commands = {
  /** Observations that say the same of many deliveries (as most calls do) are one statement. */
  *observe(observations: Observation[]): Script<number> {
    const changed = new Set<string>();
    const alike = Map.groupBy(observations, ({ state, path, at }) => `${state} ${path} ${at}`);
    for (const group of alike.values()) {
      const [{ state, path, at }] = group as [Observation];
      const columns = NOTED[state];
      const updated = yield* rows<{ recipient: number; seq: number }>(
        `UPDATE deliveries SET ${columns.map((column) => `${column} = COALESCE(${column}, ?)`).join(', ')},
           path = COALESCE(path, ?)
         FROM {{pairs}} AS observed
         WHERE recipient_id = observed.first AND message_seq = observed.second AND ${columns[0]} IS NULL
         RETURNING recipient_id AS recipient, message_seq AS seq`,
        [
          ...columns.map(() => at),
          orNull(path),
          JSON.stringify(group.map(({ recipientId, seq }) => [recipientId, seq])),
        ],
      );
      for (const { recipient, seq } of updated) changed.add(`${recipient}:${seq}`);
    }
    return changed.size;
  },
};
