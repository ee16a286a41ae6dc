import { wordsOf } from '../words.ts';
import { addCounts } from './counts.ts';
import { addPeriod, indexedUpTo } from './periods.ts';
import { rows, type Script, translatedRows } from './script.ts';

/** Beyond this many recipients a message is found by its conversation, not by recipient. */
const MAX_NAMED_RECIPIENTS = 64;

interface Indexed {
  seq: number;
  workspaceId: number;
  conversationId: number;
  senderId: number;
  /** Ids between commas. */
  recipients: string | null;
  body: string;
  createdAt: number;
  redactedAt: number | null;
}

const INDEXED = `m.seq, m.workspace_id AS "workspaceId", m.conversation_id AS "conversationId",
  m.sender_id AS "senderId", m.body, m.created_at AS "createdAt", m.redacted_at AS "redactedAt",
  (SELECT string_agg(CAST(recipient_id AS text), ',') FROM (
    SELECT recipient_id FROM deliveries WHERE message_seq = m.seq LIMIT ${MAX_NAMED_RECIPIENTS + 1}
  ) AS named) AS recipients`;

/** Extra index words that narrow a search without reading messages. */
export const SCOPE = {
  workspace: (id: number) => `w${id}`,
  conversation: (id: number) => `c${id}`,
  sender: (id: number) => `s${id}`,
  recipient: (id: number) => `r${id}`,
};

function scopeOf({ workspaceId, conversationId, senderId, recipients }: Indexed): string[] {
  const ids = recipients?.split(',').map(Number) ?? [];
  return [
    SCOPE.workspace(workspaceId),
    SCOPE.conversation(conversationId),
    SCOPE.sender(senderId),
    ...(ids.length > MAX_NAMED_RECIPIENTS ? [] : ids.sort((a, b) => a - b).map(SCOPE.recipient)),
  ];
}

/** PostgreSQL keeps no later positions. */
const LAST_POSITION = 16_383;

/** The index entry of a message in PostgreSQL; a scope word starts with `/`, as no other word can. */
const toVector = (words: string[], scope: string[]): string =>
  [
    ...words.map((word, index) => `'${word}':${Math.min(index + 1, LAST_POSITION)}`),
    ...scope.map((word) => `'/${word}'`),
  ].join(' ');

/** An erased message has no entry. */
const entriesOf = (messages: Indexed[]) =>
  messages
    .filter(({ redactedAt }) => redactedAt === null)
    .map((message) => ({ seq: message.seq, words: wordsOf(message.body), scope: scopeOf(message) }));

function* addEntries(messages: Indexed[]): Script<void> {
  const entries = entriesOf(messages);
  yield* translatedRows({
    sqlite: {
      sql: `INSERT INTO search (rowid, words, scope)
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`,
      params: [
        JSON.stringify(entries.map(({ seq, words, scope }) => [seq, words.join(' '), scope.join(' ')])),
      ],
    },
    postgres: {
      sql: `INSERT INTO search (message_seq, words)
        SELECT (value ->> 0)::bigint, (value ->> 1)::tsvector FROM json_array_elements(?::text::json)`,
      params: [JSON.stringify(entries.map(({ seq, words, scope }) => [seq, toVector(words, scope)]))],
    },
  });
}

/** The messages that are indexed. */
function* indexed(seqs: number[]): Script<Indexed[]> {
  return yield* rows<Indexed>(
    `SELECT ${INDEXED} FROM messages AS m WHERE m.seq IN {{numbers}} AND m.seq <= (SELECT seq FROM indexed)`,
    [JSON.stringify(seqs)],
  );
}

/** Adds a recipient to a message, which may already be indexed with all its recipients. */
export function* withEntryRenewed<Result>(seq: number, add: Script<Result>): Script<Result> {
  const [before] = yield* indexed([seq]);
  if (!before) return yield* add;
  yield* removeEntries([seq]);
  const result = yield* add;
  yield* addEntries(yield* indexed([seq]));
  return result;
}

/** Removes messages from the index, before they change. */
export function* removeEntries(seqs: number[]): Script<void> {
  const messages = yield* indexed(seqs);
  const entries = entriesOf(messages);
  yield* translatedRows({
    sqlite: {
      sql: `INSERT INTO search (search, rowid, words, scope)
        SELECT 'delete', value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`,
      params: [
        JSON.stringify(entries.map(({ seq, words, scope }) => [seq, words.join(' '), scope.join(' ')])),
      ],
    },
    postgres: {
      sql: 'DELETE FROM search WHERE message_seq IN {{numbers}}',
      params: [JSON.stringify(entries.map(({ seq }) => seq))],
    },
  });
}

/** An upper bound of messages that are not indexed yet. */
export function* unindexed(): Script<number> {
  const [row] = yield* rows<{ behind: number | null }>(
    'SELECT (SELECT max(seq) FROM messages) - (SELECT seq FROM indexed) AS behind',
  );
  return Math.max(0, row?.behind ?? 0);
}

/** Indexes the next messages, at most `limit`; returns how many. */
export function* indexForSearch(limit: number): Script<number> {
  const messages = yield* rows<Indexed>(
    `SELECT ${INDEXED} FROM messages AS m WHERE m.seq > ? ORDER BY m.seq LIMIT ?`,
    [yield* indexedUpTo(), limit],
  );
  const [first, last] = [messages[0], messages.at(-1)];
  if (!first || !last) return 0;
  yield* addEntries(messages);
  yield* rows(
    `INSERT INTO authored (sender_id, workspace_id, message_seq)
     SELECT sender_id, workspace_id, seq FROM messages WHERE seq BETWEEN ? AND ?`,
    [first.seq, last.seq],
  );
  yield* addCounts(first.seq, last.seq);
  const times = messages.map(({ createdAt }) => createdAt);
  yield* addPeriod({
    first: first.seq,
    last: last.seq,
    oldest: Math.min(...times),
    newest: Math.max(...times),
  });
  yield* rows('UPDATE indexed SET seq = ?', [last.seq]);
  return messages.length;
}
