import type { HistoryQuery, Viewer } from '../../core/ports/store/history.ts';
import type { StoredMessage } from '../../core/ports/store/messages.ts';
import { DELIVERED } from './deliveries.ts';
import { fitting, MESSAGE, MESSAGE_NAMES, type MessageRow, toMessage } from './messages.ts';
import { firstSince, indexedUpTo } from './periods.ts';
import { rows, type Script } from './script.ts';
import { belongsTo, channelsOf, type Fragment, visible, visibleTo } from './visibility.ts';

/** A source of messages ordered by `seq`, so that the first or last are found without reading the others. */
interface Source {
  /** The tables, with the message as `m`; the first one drives the plan. */
  from: string;
  /** The ordering column. */
  seq: string;
  where: Fragment;
  /** All of them have higher numbers. */
  after?: number;
}

const inWorkspace = (workspaceId: number): Source => ({
  from: 'messages AS m',
  seq: 'm.seq',
  where: { sql: 'm.workspace_id = ?', params: [workspaceId] },
});

const inThread = (workspaceId: number, thread: string): Source => ({
  from: 'messages AS m {{thread}}',
  seq: 'm.seq',
  where: { sql: 'm.workspace_id = ? AND m.thread = ?', params: [workspaceId, thread] },
});

const inConversation = (conversationId: number): Source => ({
  from: 'messages AS m',
  seq: 'm.seq',
  where: { sql: 'm.conversation_id = ?', params: [conversationId] },
});

const deliveredTo = (agentId: number): Source[] =>
  DELIVERED.map(({ index, condition }) => ({
    from: `deliveries AS d ${index} CROSS JOIN messages AS m`,
    seq: 'd.message_seq',
    where: { sql: `d.recipient_id = ? AND ${condition} AND m.seq = d.message_seq`, params: [agentId] },
  }));

/** Messages that are not indexed yet are scanned; there are few. */
function* sentBy(agentId: number, workspaceIds: number[]): Script<Source[]> {
  return [
    ...workspaceIds.map((workspaceId) => ({
      from: 'authored AS a CROSS JOIN messages AS m',
      seq: 'a.message_seq',
      where: {
        sql: 'a.sender_id = ? AND a.workspace_id = ? AND m.seq = a.message_seq',
        params: [agentId, workspaceId],
      },
    })),
    {
      from: 'messages AS m',
      seq: 'm.seq',
      where: { sql: '+m.sender_id = ?', params: [agentId] },
      after: yield* indexedUpTo(),
    },
  ];
}

/** The workspaces an agent has written into, its own first; found by jumping from one to the next. */
function* placesOf(agentId: number, workspaceId: number): Script<number[]> {
  const written = yield* rows<{ id: number }>(
    `WITH RECURSIVE places (id) AS (
       SELECT min(workspace_id) FROM authored WHERE sender_id = ?
       UNION ALL
       SELECT (SELECT min(workspace_id) FROM authored WHERE sender_id = ? AND workspace_id > places.id)
       FROM places WHERE places.id IS NOT NULL
     )
     SELECT id FROM places WHERE id IS NOT NULL
     UNION ALL SELECT DISTINCT +workspace_id AS id FROM messages WHERE seq > ? AND +sender_id = ?`,
    [agentId, agentId, yield* indexedUpTo(), agentId],
  );
  return [...new Set([workspaceId, ...written.map(({ id }) => id)])];
}

/**
 * What the viewer can see of the requested messages: the sources, and the conditions. Columns of conditions are
 * written `+column`, so that SQLite does not take another index than that of the source.
 */
interface QueryPlan {
  sources: Source[];
  /** Also checks the newest or oldest messages of each channel of this agent. */
  channelsOf?: number;
  conditions: Fragment[];
}

const involving = (agentId: number): Fragment => ({
  sql: `(m.sender_id = ? OR EXISTS (SELECT 1 FROM deliveries WHERE recipient_id = ? AND message_seq = m.seq))`,
  params: [agentId, agentId],
});

function* plan(query: HistoryQuery): Script<QueryPlan> {
  const { workspaceId, viewer, conversationId, involvingId, thread, kind } = query;
  const conditions: Fragment[] =
    viewer === undefined
      ? [{ sql: '+m.workspace_id = ?', params: [workspaceId] }]
      : [
          { sql: '(+m.workspace_id = ? OR +m.sender_id = ?)', params: [workspaceId, viewer] },
          visibleTo(viewer),
        ];
  if (conversationId !== undefined)
    conditions.push({ sql: '+m.conversation_id = ?', params: [conversationId] });
  if (involvingId !== undefined) conditions.push(involving(involvingId));
  if (kind !== undefined) conditions.push({ sql: 'm.kind = ?', params: [kind] });

  const places = viewer === undefined ? [workspaceId] : yield* placesOf(viewer, workspaceId);
  if (thread !== undefined) return { sources: places.map((place) => inThread(place, thread)), conditions };
  const agents = [viewer, involvingId].filter((id) => id !== undefined);
  if (conversationId !== undefined && (yield* allBelongTo(agents, conversationId)))
    return { sources: [inConversation(conversationId)], conditions };
  const agentId = yield* quietest(agents);
  if (agentId === undefined) return { sources: [inWorkspace(workspaceId)], conditions };
  const written = yield* sentBy(agentId, agentId === viewer ? places : [workspaceId]);
  const sources = [...written, ...deliveredTo(agentId)];
  if (agentId !== viewer || conversationId !== undefined) return { sources, conditions };
  return { sources, channelsOf: agentId, conditions };
}

/** An agent with more messages than this is busy. */
const BUSY = 2000;

/** The agent whose messages are searched for those that concern all agents: the last one that is not busy. */
function* quietest(agentIds: number[]): Script<number | undefined> {
  for (const agentId of agentIds.length > 1 ? agentIds.toReversed() : []) {
    const parts = [
      ...DELIVERED.map(
        ({ index, condition }) => `deliveries AS d ${index} WHERE d.recipient_id = ? AND ${condition}`,
      ),
      'authored WHERE sender_id = ?',
    ];
    const [row] = yield* rows<{ messages: number }>(
      `SELECT count(*) AS messages FROM (${parts
        .map((part, at) => `SELECT message_seq FROM (SELECT message_seq FROM ${part} LIMIT ?) AS part${at}`)
        .join(' UNION ALL ')}) AS known`,
      parts.flatMap(() => [agentId, BUSY]),
    );
    if ((row?.messages ?? 0) < BUSY) return agentId;
  }
  return agentIds.at(-1);
}

/** Whether most messages of a conversation concern all these agents: then it is the fastest source. */
function* allBelongTo(agentIds: number[], conversationId: number): Script<boolean> {
  for (const agentId of agentIds) {
    if (!(yield* belongsTo(agentId, conversationId))) return false;
  }
  return true;
}

const both = (fragments: Fragment[]): Fragment => ({
  sql: fragments.map(({ sql }) => sql).join(' AND '),
  params: fragments.flatMap(({ params }) => params),
});

/** Which messages of a source are requested, and in which order. */
interface Range {
  after: number;
  before: number;
  order: 'ASC' | 'DESC';
  limit: number;
}

function* rangeOf({ since, before, after, limit }: HistoryQuery): Script<Range> {
  return {
    after: Math.max(after ?? 0, since === undefined ? 0 : (yield* firstSince(since)) - 1),
    before: before ?? Number.MAX_SAFE_INTEGER,
    order: after !== undefined && before === undefined ? 'ASC' : 'DESC',
    limit,
  };
}

/** The first messages of one source that meet all conditions, as a query of the column `value`. */
function firstOf({ from, seq, where, after = 0 }: Source, conditions: Fragment[], range: Range): Fragment {
  const within = { sql: `${seq} > ? AND ${seq} < ?`, params: [Math.max(after, range.after), range.before] };
  const { sql, params } = both([where, within, ...conditions]);
  return {
    sql: `SELECT ${seq} AS value FROM ${from} WHERE ${sql} ORDER BY ${seq} ${range.order} LIMIT ?`,
    params: [...params, range.limit],
  };
}

export const queries = {
  *history(query: HistoryQuery): Script<StoredMessage[]> {
    const { sources, channelsOf: reader, conditions } = yield* plan(query);
    if (query.since !== undefined) conditions.push({ sql: 'm.created_at >= ?', params: [query.since] });
    const range = yield* rangeOf(query);
    const first = (source: Source) => firstOf(source, conditions, range);
    const parts = sources.map(first).map(({ sql, params }, index) => ({
      sql: `SELECT value FROM (${sql}) AS part${index}`,
      params,
    }));
    if (reader !== undefined) {
      const channels = channelsOf(reader);
      const ofOne = first({
        ...inConversation(0),
        where: { sql: 'm.conversation_id = channel.id', params: [] },
      });
      parts.push({
        sql: `SELECT found.value FROM ${channels.sql} AS channel, {{each}} ${ofOne.sql} {{end}} AS found`,
        params: [...channels.params, ...ofOne.params],
      });
    }
    const page = fitting(
      {
        sql: `SELECT value AS seq FROM (${parts.map(({ sql }) => sql).join(' UNION ')}) AS parts
          ORDER BY value ${range.order} LIMIT ?`,
        params: [...parts.flatMap(({ params }) => params), query.limit],
      },
      range.order,
    );
    const found = yield* rows<MessageRow>(
      `SELECT ${MESSAGE} FROM ${page.sql} AS page CROSS JOIN messages AS m ${MESSAGE_NAMES}
       WHERE m.seq = page.seq ORDER BY m.seq`,
      page.params,
    );
    return found.map(toMessage);
  },

  *visibleMessage(viewer: Viewer, workspaceId: number, id: string): Script<StoredMessage | undefined> {
    const { sql, params } = visible(viewer, workspaceId);
    const [row] = yield* rows<MessageRow>(
      `SELECT ${MESSAGE} FROM messages AS m ${MESSAGE_NAMES} WHERE m.id = ? AND ${sql}`,
      [id, ...params],
    );
    return row && toMessage(row);
  },
};
