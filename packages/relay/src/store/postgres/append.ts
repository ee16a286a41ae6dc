import type { Appended, MessageDraft } from '../../core/ports/store/messages.ts';
import { DRAFT_COLUMNS, draftValues, takenBy } from '../append.ts';
import { flag } from '../scripts/script.ts';
import { type Queryable, query, run } from './database.ts';

const ARRAY_TYPES: { [Column in (typeof DRAFT_COLUMNS)[number]]: 'bigint[]' | 'text[]' } = {
  sender_id: 'bigint[]',
  client_id: 'text[]',
  conversation_id: 'bigint[]',
  expires_at: 'bigint[]',
  workspace_id: 'bigint[]',
  id: 'text[]',
  body: 'text[]',
  thread: 'text[]',
  reply_to: 'text[]',
  kind: 'text[]',
  importance: 'text[]',
  awaits_reply: 'bigint[]',
  unverified: 'bigint[]',
  created_at: 'bigint[]',
  mentions: 'text[]',
  attachments: 'text[]',
};

const COLUMNS = DRAFT_COLUMNS.join(', ');
const DRAFTS = DRAFT_COLUMNS.map((column, index) => `$${index + 1}::${ARRAY_TYPES[column]}`).join(', ');

/** All messages of a run and their deliveries in one statement; each parameter is a column. */
const INSERT_RUN = `
  WITH added AS (
    INSERT INTO messages (${COLUMNS})
    SELECT ${COLUMNS} FROM unnest(${DRAFTS}) WITH ORDINALITY AS draft (${COLUMNS}, position) ORDER BY position
    ON CONFLICT (client_id, sender_id) DO NOTHING
    RETURNING seq, id, sender_id, conversation_id, expires_at
  ), delivered AS (
    INSERT INTO deliveries (recipient_id, message_seq, sender_id, conversation_id, expires_at, mentioned)
    SELECT recipient.id, added.seq, added.sender_id, added.conversation_id, added.expires_at, recipient.mentioned
    FROM unnest($${DRAFT_COLUMNS.length + 1}::text[], $${DRAFT_COLUMNS.length + 2}::bigint[],
      $${DRAFT_COLUMNS.length + 3}::smallint[])
      AS recipient (message_id, id, mentioned) JOIN added ON added.id = recipient.message_id
  )
  SELECT seq, id FROM added`;

/** The second parameter is the mentioned agents. */
const deliverTo = (audience: string) => `
  INSERT INTO deliveries (recipient_id, message_seq, sender_id, conversation_id, expires_at, mentioned)
  SELECT agents.id, m.seq, m.sender_id, m.conversation_id, m.expires_at,
    CASE WHEN agents.id = ANY ($2::bigint[]) THEN 1 ELSE 0 END
  FROM messages AS m ${audience}
  WHERE m.seq = $1 AND agents.removed_at IS NULL AND agents.id <> m.sender_id
  RETURNING recipient_id`;
const DELIVER = {
  workspace: deliverTo("JOIN agents ON agents.workspace_id = m.workspace_id AND agents.type <> 'system'"),
  members: deliverTo(`JOIN members ON members.conversation_id = m.conversation_id AND members.present = 1
    JOIN agents ON agents.id = members.agent_id`),
};

const ATTACH = `INSERT INTO message_attachments (message_seq, attachment_id) SELECT $1, unnest($2::text[])
  ON CONFLICT DO NOTHING`;

/** Appends messages in their order, inside the transaction of `db`. */
export async function appendRun(db: Queryable, drafts: MessageDraft[]): Promise<Appended[]> {
  const values = drafts.map(draftValues);
  const recipients = drafts.flatMap(({ id, audience, mentions }) => {
    if (audience.kind !== 'agents') return [];
    return audience.ids.map((recipientId) => {
      const mentioned = mentions.some((mention) => mention.id === recipientId);
      return [id, recipientId, flag(mentioned)] as const;
    });
  });
  const columns = [
    ...DRAFT_COLUMNS.map((_, index) => values.map((row) => row[index] ?? null)),
    recipients.map(([messageId]) => messageId),
    recipients.map(([, recipientId]) => recipientId),
    recipients.map(([, , mentioned]) => mentioned),
  ];
  const added = await query<{ seq: number; id: string }>(db, INSERT_RUN, columns);
  const seqs = new Map(added.map(({ id, seq }) => [id, seq]));
  const appended: Appended[] = [];
  for (const draft of drafts) appended.push(await outcomeOf(db, draft, seqs.get(draft.id)));
  return appended;
}

async function outcomeOf(db: Queryable, draft: MessageDraft, seq: number | undefined): Promise<Appended> {
  if (seq === undefined) return run(db, takenBy(draftValues(draft)));
  const { id, thread, audience, mentions, attachments } = draft;
  if (attachments.length > 0) await query(db, ATTACH, [seq, attachments.map((each) => each.id)]);
  const recipients =
    audience.kind === 'agents'
      ? audience.ids
      : await deliver(
          db,
          DELIVER[audience.kind],
          seq,
          mentions.map((mention) => mention.id),
        );
  return { seq, id, thread, recipients, duplicate: 'no' };
}

async function deliver(db: Queryable, sql: string, seq: number, mentioned: number[]): Promise<number[]> {
  const rows = await query<{ recipient_id: number }>(db, sql, [seq, mentioned]);
  return rows.map((row) => row.recipient_id).sort((one, other) => one - other);
}
