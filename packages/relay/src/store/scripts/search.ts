import type { SearchHit, SearchQuery } from '../../core/ports/store/search.ts';
import { highlight, phrasesOf } from '../words.ts';
import { indexForSearch, SCOPE, unindexed } from './indexing.ts';
import { newestFitting, toMessage } from './messages.ts';
import { firstSince, lastUntil } from './periods.ts';
import { rows, type Script, translatedRows, type Value } from './script.ts';
import { type Fragment, visibleTo } from './visibility.ts';

/** How many matching messages are checked; see `SearchStore` for when that matters. */
const MAX_CANDIDATES = 10_000;
const WINDOW = 250;

export const queries = {
  /** Search among what is indexed. */
  *searchIndexed(query: SearchQuery): Script<SearchHit[]> {
    const phrases = phrasesOf(query.text);
    if (phrases.length === 0) return [];
    const scope = yield* scopeOf(query);
    const lowest = query.since === undefined ? 1 : yield* firstSince(query.since);
    const found: number[] = [];
    let before = query.until === undefined ? Number.MAX_SAFE_INTEGER : (yield* lastUntil(query.until)) + 1;
    for (let looked = 0; looked < MAX_CANDIDATES && found.length < query.limit; looked += WINDOW) {
      const window = yield* candidates(phrases, { scope, isFirst: looked === 0 }, lowest, before);
      found.push(...(yield* accepted(query, window)));
      before = window.at(-1) ?? 0;
      if (window.length < WINDOW) break;
    }
    return (yield* newestFitting(found.slice(0, query.limit))).map((row) => {
      const message = toMessage(row);
      return { message, highlight: highlight(message.body, phrases) };
    });
  },

  unindexed,
};

export const commands = { indexForSearch };

/** Groups of index words; a message must have one of each group. */
function* scopeOf({ workspaceId, viewer, conversationId, senderId }: SearchQuery): Script<string[][]> {
  const scope: string[][] = [];
  if (senderId !== undefined) scope.push([SCOPE.sender(senderId)]);
  if (conversationId !== undefined) scope.push([SCOPE.conversation(conversationId)]);
  else if (viewer === undefined) scope.push([SCOPE.workspace(workspaceId)]);
  if (viewer !== undefined && conversationId === undefined) {
    // Including channels it has left: earlier deliveries are still visible, and each message is checked.
    const conversations = yield* rows<{ id: number }>(
      `SELECT conversation_id AS id FROM members WHERE agent_id = ?
       UNION SELECT id FROM conversations WHERE workspace_id = ? AND key IN ('#general', '*')`,
      [viewer, workspaceId],
    );
    const around = conversations.map(({ id }) => SCOPE.conversation(id));
    scope.push([SCOPE.sender(viewer), SCOPE.recipient(viewer), ...around]);
  }
  return scope;
}

/**
 * The newest messages below `before` with all phrases, newest first. SQLite seeks every list of the scope, which costs
 * more the longer they are: rare words are found without, and the scope narrows the search only when there are more.
 */
function* candidates(
  phrases: string[][],
  { scope, isFirst }: { scope: string[][]; isFirst: boolean },
  lowest: number,
  before: number,
): Script<number[]> {
  const fts = [
    ...(isFirst ? [] : scope).map((words) => `scope : (${words.join(' OR ')})`),
    ...phrases.map((phrase) => `words : "${phrase.join(' ')}"`),
  ].join(' AND ');
  const vector = [
    ...scope.map((words) => `(${words.map((word) => `'/${word}'`).join(' | ')})`),
    ...phrases.map((phrase) => `(${phrase.map((word) => `'${word}'`).join(' <-> ')})`),
  ].join(' & ');
  const bounds: Value[] = [lowest, before, WINDOW];
  const found = yield* translatedRows<{ seq: number }>({
    sqlite: {
      sql: `SELECT rowid AS seq FROM search WHERE search MATCH ? AND rowid >= ? AND rowid < ?
        ORDER BY rowid DESC LIMIT ?`,
      params: [fts, ...bounds],
    },
    postgres: {
      // Separate from the order, so that the plan uses the words: a plan by number reads everything if
      // they are rare.
      sql: `WITH hits AS MATERIALIZED (SELECT message_seq AS seq FROM search WHERE words @@ ?::text::tsquery)
        SELECT seq FROM hits WHERE seq >= ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
      params: [vector, ...bounds],
    },
  });
  return found.map(({ seq }) => seq);
}

/** The messages that the viewer can see and that match the rest of the query, newest first. */
function* accepted(query: SearchQuery, seqs: number[]): Script<number[]> {
  const conditions: Fragment[] = [
    { sql: 'm.seq IN {{numbers}}', params: [JSON.stringify(seqs)] },
    { sql: 'm.redacted_at IS NULL', params: [] },
    query.viewer === undefined
      ? { sql: '+m.workspace_id = ?', params: [query.workspaceId] }
      : visibleTo(query.viewer),
  ];
  if (query.senderId !== undefined) conditions.push({ sql: '+m.sender_id = ?', params: [query.senderId] });
  if (query.conversationId !== undefined)
    conditions.push({ sql: '+m.conversation_id = ?', params: [query.conversationId] });
  if (query.since !== undefined) conditions.push({ sql: 'm.created_at >= ?', params: [query.since] });
  if (query.until !== undefined) conditions.push({ sql: 'm.created_at <= ?', params: [query.until] });
  const found = yield* rows<{ seq: number }>(
    `SELECT m.seq FROM messages AS m
     WHERE ${conditions.map(({ sql }) => sql).join(' AND ')} ORDER BY m.seq DESC LIMIT ?`,
    [...conditions.flatMap(({ params }) => params), query.limit],
  );
  return found.map(({ seq }) => seq);
}
