import type { Appended, MessageDraft } from '../core/ports/store.ts';
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
 * What a sender gets whose `clientId` is taken: the message that took it; undefined if none did. Of one that was emptied nobody knows any
 * more whether it was the same; to call it another would make the sender send it again.
 */
export function* findDuplicate(values: DraftValues): Script<Appended | undefined> {
  const [senderId, clientId, conversationId, , , , body, , replyTo, kind, importance] = values;
  const [found] = yield* rows<{ seq: number; id: string; thread: string | null; same: number }>(
    `SELECT seq, id, thread, CASE WHEN conversation_id = ? AND (body = ? OR redacted_at IS NOT NULL)
       AND kind = ? AND importance = ? AND reply_to IS NOT DISTINCT FROM ? THEN 1 ELSE 0 END AS same
     FROM messages WHERE sender_id = ? AND client_id = ?`,
    [conversationId, body, kind, importance, replyTo, senderId, clientId],
  );
  if (!found) return undefined;
  const { seq, id, thread, same } = found;
  return { seq, id, thread: thread ?? undefined, recipients: [], duplicate: same === 1 ? 'same' : 'other' };
}

/** The same where the database has just refused the `clientId`: so there is one. */
export function* takenBy(values: DraftValues): Script<Appended> {
  return (yield* findDuplicate(values)) as Appended;
}
