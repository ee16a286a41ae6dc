import type { Appended, MessageDraft } from '../core/ports/store/messages.ts';
import { isRepetition } from '../core/sending/checks.ts';
import { flag, orNull, rows, type Script, storable } from './scripts/script.ts';

/** The columns of a new message in the order of `DraftValues`. */
export const DRAFT_COLUMNS = [
  'sender_id',
  'client_id',
  'conversation_id',
  'expires_at',
  'workspace_id',
  'id',
  'body',
  'thread',
  'reply_to',
  'kind',
  'importance',
  'awaits_reply',
  'unverified',
  'created_at',
  'mentions',
  'attachments',
] as const;

/** A draft as a row: arrays cross the border between threads twice as fast as objects. */
export type DraftValues = [
  senderId: number,
  clientId: string,
  conversationId: number,
  expiresAt: number | null,
  workspaceId: number,
  id: string,
  body: string,
  thread: string | null,
  replyTo: string | null,
  kind: string,
  importance: string,
  awaitsReply: number,
  unverified: number,
  createdAt: number,
  mentions: string | null,
  attachments: string | null,
];

export const draftValues = (draft: MessageDraft): DraftValues => [
  draft.senderId,
  draft.clientId,
  draft.conversationId,
  orNull(draft.expiresAt),
  draft.workspaceId,
  draft.id,
  storable(draft.body),
  storable(orNull(draft.thread)),
  storable(orNull(draft.replyTo)),
  draft.kind,
  draft.importance,
  flag(draft.awaitsReply),
  flag(draft.unverified),
  draft.createdAt,
  listOrNull(draft.mentions.map(({ name }) => name)),
  listOrNull(draft.attachments),
];

const listOrNull = (list: unknown[]): string | null =>
  list.length === 0 ? null : storable(JSON.stringify(list));

/**
 * The result for a reused `clientId`: the first message with it; undefined if there is none. For an
 * erased message it is no longer known whether it was the same; calling it different would make the sender send it again.
 */
export function* findDuplicate(values: DraftValues): Script<Appended | undefined> {
  const [senderId, clientId] = values;
  const [found] = yield* rows<Taken>(
    `SELECT seq, id, conversation_id AS "conversationId", body, thread, reply_to AS "replyTo", kind, importance,
       expires_at AS "expiresAt", attachments, redacted_at AS "redactedAt"
     FROM messages WHERE sender_id = ? AND client_id = ?`,
    [senderId, clientId],
  );
  if (!found) return undefined;
  const { seq, redactedAt, ...first } = found;
  const again = rowOf(values);
  // The content and files of an erased message are no longer known.
  if (redactedAt !== null) Object.assign(again, { body: first.body, attachments: first.attachments });
  const isSame = isRepetition(withoutNulls(again), withoutNulls(first));
  const thread = first.thread ?? undefined;
  return { seq, id: first.id, thread, recipients: [], duplicate: isSame ? 'same' : 'other' };
}

/** The columns that distinguish messages. */
interface Row {
  id: string;
  conversationId: number;
  body: string;
  thread: string | null;
  replyTo: string | null;
  kind: MessageDraft['kind'];
  importance: MessageDraft['importance'];
  expiresAt: number | null;
  attachments: string | null;
}

type Taken = Row & { seq: number; redactedAt: number | null };

const rowOf = (values: DraftValues): Row => {
  const [, , conversationId, expiresAt, , id, body, thread, replyTo, kind, importance] = values;
  const attachments = values[15];
  return {
    ...{ id, conversationId, body, thread, replyTo, expiresAt, attachments },
    kind: kind as Row['kind'],
    importance: importance as Row['importance'],
  };
};

const withoutNulls = (row: Row): Parameters<typeof isRepetition>[0] => ({
  ...row,
  thread: row.thread ?? undefined,
  replyTo: row.replyTo ?? undefined,
  expiresAt: row.expiresAt ?? undefined,
  attachments: row.attachments === null ? [] : JSON.parse(row.attachments),
});

/** The same when the database has just refused the `clientId`, so there is one. */
export function* takenBy(values: DraftValues): Script<Appended> {
  return (yield* findDuplicate(values)) as Appended;
}
