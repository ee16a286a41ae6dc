import type {
  Claim,
  Delivery,
  InboxQuery,
  Observation,
  OpenClaim,
} from '../../core/ports/store/deliveries.ts';
import type { StoredMessage } from '../../core/ports/store/messages.ts';
import { fitting, MESSAGE, MESSAGE_NAMES, type MessageRow, toMessage } from './messages.ts';
import { orNull, rows, type Script, type Statement, storable, type Value } from './script.ts';

/**
 * The columns that record a state and its path. `acked` implies read, and a
 * started turn implies injected.
 */
const NOTED: {
  [State in Observation['state']]: { times: [string, ...string[]]; path: 'path' | 'read_path' };
} = {
  accepted: { times: ['accepted_at'], path: 'path' },
  uncertain: { times: ['uncertain_at'], path: 'path' },
  injected: { times: ['injected_at'], path: 'path' },
  turn_started: { times: ['turn_started_at', 'injected_at'], path: 'path' },
  read: { times: ['read_at'], path: 'read_path' },
  acked: { times: ['acked_at', 'read_at'], path: 'read_path' },
};

const UNEXPIRED = '(d.expires_at IS NULL OR d.expires_at >= ?)';

const NOT_CLAIMED_BY = '(d.claimed_by IS NULL OR d.claimed_by NOT IN {{texts}})';

type Nullable<T> = {
  [Key in keyof T]: undefined extends T[Key] ? Exclude<T[Key], undefined> | null : T[Key];
};

type DeliveredSeq = { id: string; seq: number; senderId: number; createdAt: number };

/** Matches the conditions of the indexes. */
const UNREAD = { index: '{{unread}}', condition: 'd.read_at IS NULL AND d.injected_at IS NULL' };
const READ = { index: '{{read}}', condition: '(d.read_at IS NOT NULL OR d.injected_at IS NOT NULL)' };

/** Read and unread deliveries of an agent each have an index ordered by `message_seq`. */
export const DELIVERED = [UNREAD, READ];

/** The first table drives the plan: CROSS JOIN keeps SQLite from reordering. A thread is shorter than an inbox. */
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
  if (query.hideClaimed === true) conditions.push('d.claimed_by IS NULL');
  else if (query.hideClaimed) narrow(NOT_CLAIMED_BY, JSON.stringify(query.hideClaimed));
  narrow('d.claimed_by = ? AND d.uncertain_at IS NULL', query.claimedBy);
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

  *countUnread(recipientId: number, now: number, hideClaimed: readonly string[] = []): Script<number> {
    const [claims, params] =
      hideClaimed.length === 0 ? ['', []] : [`AND ${NOT_CLAIMED_BY}`, [JSON.stringify(hideClaimed)]];
    const [row] = yield* rows<{ unread: number }>(
      `SELECT count(*) AS unread FROM deliveries AS d {{unread}}
       WHERE d.recipient_id = ? AND ${UNREAD.condition} AND ${UNEXPIRED} ${claims}`,
      [recipientId, now, ...params],
    );
    return row?.unread ?? 0;
  },

  *countUnreadOf(
    recipientIds: number[],
    now: number,
  ): Script<Array<{ recipientId: number; unread: number }>> {
    return yield* rows<{ recipientId: number; unread: number }>(
      `SELECT d.recipient_id AS "recipientId", count(*) AS unread FROM deliveries AS d {{unread}}
       WHERE d.recipient_id IN {{numbers}} AND ${UNREAD.condition} AND ${UNEXPIRED} GROUP BY d.recipient_id`,
      [JSON.stringify(recipientIds), now],
    );
  },

  *deliveredSeqs(recipientId: number, messageIds: string[]): Script<DeliveredSeq[]> {
    return yield* rows<DeliveredSeq>(
      `SELECT m.id, m.seq, m.sender_id AS "senderId", m.created_at AS "createdAt"
       FROM messages AS m WHERE m.id IN {{texts}} AND EXISTS
         (SELECT 1 FROM deliveries AS d WHERE d.recipient_id = ? AND d.message_seq = m.seq)
       ORDER BY m.seq`,
      [JSON.stringify(messageIds.map(storable)), recipientId],
    );
  },

  *claimsOf(recipientId: number, seqs: number[]): Script<Array<{ seq: number; claimedBy: string }>> {
    return yield* rows<{ seq: number; claimedBy: string }>(
      `SELECT d.message_seq AS seq, d.claimed_by AS "claimedBy" FROM deliveries AS d
       WHERE d.recipient_id = ? AND d.message_seq IN {{numbers}} AND d.claimed_by IS NOT NULL`,
      [recipientId, JSON.stringify(seqs)],
    );
  },

  *openClaims(recipientId: number, by: string): Script<OpenClaim[]> {
    return yield* rows<OpenClaim>(
      `SELECT m.id, m.sender_id AS "senderId", d.path
       FROM deliveries AS d {{unread}} CROSS JOIN messages AS m WHERE m.seq = d.message_seq
         AND d.recipient_id = ? AND ${UNREAD.condition} AND d.claimed_by = ? AND d.uncertain_at IS NULL
       ORDER BY d.message_seq`,
      [recipientId, by],
    );
  },

  *deliveriesOf(seq: number): Script<Delivery[]> {
    const found = yield* rows<Nullable<Delivery>>(
      `SELECT d.recipient_id AS "recipientId", recipient.name AS "recipientName", d.message_seq AS seq, d.path,
         d.claimed_by AS "claimedBy", d.accepted_at AS "acceptedAt", d.uncertain_at AS "uncertainAt", d.injected_at AS "injectedAt", d.turn_started_at AS "turnStartedAt",
         d.read_at AS "readAt", d.read_path AS "readPath", d.acked_at AS "ackedAt"
       FROM deliveries AS d LEFT JOIN agents AS recipient ON recipient.id = d.recipient_id
       WHERE d.message_seq = ? ORDER BY recipient.name, d.recipient_id`,
      [seq],
    );
    return found.map((row) => ({
      ...row,
      path: row.path ?? undefined,
      claimedBy: row.claimedBy ?? undefined,
      acceptedAt: row.acceptedAt ?? undefined,
      uncertainAt: row.uncertainAt ?? undefined,
      injectedAt: row.injectedAt ?? undefined,
      turnStartedAt: row.turnStartedAt ?? undefined,
      readAt: row.readAt ?? undefined,
      readPath: row.readPath ?? undefined,
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
  /** Equal observations of many deliveries (as in most calls) are one statement. */
  *observe(observations: Observation[]): Script<number> {
    const changed = new Set<string>();
    const alike = Map.groupBy(observations, ({ state, path, at }) => `${state} ${path} ${at}`);
    for (const group of alike.values()) {
      const [{ state, path, at }] = group as [Observation];
      const { times, path: pathColumn } = NOTED[state];
      const updated = yield* rows<{ recipient: number; seq: number }>(
        `UPDATE deliveries SET ${times.map((column) => `${column} = COALESCE(${column}, ?)`).join(', ')},
           ${pathColumn} = COALESCE(${pathColumn}, ?)
         FROM {{pairs}} AS observed
         WHERE recipient_id = observed.first AND message_seq = observed.second AND ${times[0]} IS NULL
         RETURNING recipient_id AS recipient, message_seq AS seq`,
        [
          ...times.map(() => at),
          orNull(path),
          JSON.stringify(group.map(({ recipientId, seq }) => [recipientId, seq])),
        ],
      );
      for (const { recipient, seq } of updated) changed.add(`${recipient}:${seq}`);
    }
    return changed.size;
  },

  *claim({ recipientId, seqs, by, path, at }: Claim): Script<number[]> {
    const claimed = yield* rows<{ seq: number }>(
      `UPDATE deliveries AS d SET claimed_by = ?, path = ?, accepted_at = COALESCE(d.accepted_at, ?)
       WHERE d.recipient_id = ? AND d.message_seq IN {{numbers}} AND ${UNREAD.condition} AND ${UNEXPIRED}
         AND (d.claimed_by IS NULL OR (d.claimed_by = ? AND d.uncertain_at IS NULL))
       RETURNING message_seq AS seq`,
      [by, path, at, recipientId, JSON.stringify(seqs), at, by],
    );
    return claimed.map(({ seq }) => seq);
  },

  *unclaim(recipientId: number, seqs: number[], by: readonly string[]): Script<number[]> {
    const given = yield* rows<{ seq: number }>(
      `UPDATE deliveries AS d SET claimed_by = NULL, path = NULL, accepted_at = NULL, uncertain_at = NULL
       WHERE d.recipient_id = ? AND d.message_seq IN {{numbers}} AND d.claimed_by IN {{texts}} AND ${UNREAD.condition}
       RETURNING message_seq AS seq`,
      [recipientId, JSON.stringify(seqs), JSON.stringify(by)],
    );
    return given.map(({ seq }) => seq);
  },
};
