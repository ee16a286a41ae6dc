import { GENERAL_CHANNEL, nameKey, nameSkeleton, type TransferRecord } from '@agent-relay/protocol';
import { isTaken } from '../agents.ts';
import { commands as attachmentCommands } from '../attachments.ts';
import { commands as conversationCommands } from '../conversations.ts';
import { withEntryRenewed } from '../indexing.ts';
import { flag, orNull, rows, type Script, type Value } from '../script.ts';
import { commands as toolCommands } from '../tools.ts';
import { addUnchecked, pieceAt, takeContent } from './content.ts';
import type { Of } from './export-sections.ts';
import { NameLookup } from './names.ts';

type Outcome = 'added' | 'present' | 'elsewhere';

const outcome = (added: unknown[]): Outcome => (added.length > 0 ? 'added' : 'present');

/** Adds the records of an export to one workspace. */
class Import {
  readonly #workspaceId: number;
  readonly #names: NameLookup;
  /** The first new delivery of each recipient. */
  readonly #delivered = new Map<number, number>();

  constructor(workspaceId: number) {
    this.#workspaceId = workspaceId;
    this.#names = new NameLookup(workspaceId);
  }

  get delivered(): Array<{ recipientId: number; from: number }> {
    return [...this.#delivered].map(([recipientId, from]) => ({ recipientId, from }));
  }

  add(record: TransferRecord): Script<Outcome> {
    switch (record.type) {
      case 'agent':
        return this.#agent(record);
      case 'channel':
        return this.#channel(record);
      case 'member':
        return this.#member(record);
      case 'conversation':
        return this.#conversation(record);
      case 'content':
        return this.#content(record);
      case 'attachment':
        return this.#attachment(record);
      case 'message':
        return this.#message(record);
      case 'delivery':
        return this.#delivery(record);
      case 'reaction':
        return this.#reaction(record);
    }
  }

  *#agent(record: Of<'agent'>): Script<Outcome> {
    if ((yield* this.#names.findAgent(record.agent)) !== undefined) return 'present';
    const [name = ''] = record.agent.split('@');
    const isAlike = yield* isTaken(this.#workspaceId, [name]);
    // An agent that already has the handle keeps it; a removed agent needs none.
    const isFree =
      record.handle && !record.removedAt && !(yield* isTaken(this.#workspaceId, [record.handle]));
    const handle = isFree ? record.handle : undefined;
    const [added] = yield* rows<{ id: number }>(
      `INSERT INTO agents (workspace_id, name, skeleton, handle, handle_skeleton, type, is_lead, ephemeral, cli, task, parent, capabilities,
         mcp_enabled, token_hash, created_at, last_seen_at, removed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?) RETURNING id`,
      [
        this.#workspaceId,
        name,
        isAlike ? null : nameSkeleton(name),
        orNull(handle),
        orNull(handle && nameSkeleton(handle)),
        record.agentType,
        flag(record.lead),
        flag(record.ephemeral),
        orNull(record.cli),
        orNull(record.task),
        orNull(record.parent),
        JSON.stringify(record.capabilities),
        flag(record.mcpEnabled),
        record.createdAt,
        record.lastSeenAt,
        orNull(record.removedAt),
      ],
    );
    if (added) yield* toolCommands.setTools(added.id, record.tools);
    return 'added';
  }

  /** An existing channel stays as it is. Only `#general`, which every project has, is replaced while unused. */
  *#channel({ name, topic, createdBy, createdAt, archivedAt }: Of<'channel'>): Script<Outcome> {
    const values = [name, orNull(topic), createdBy, createdAt, orNull(archivedAt)];
    const key = `#${nameKey(name)}`;
    const [present] = yield* rows<{ id: number }>(
      'SELECT id FROM conversations WHERE workspace_id = ? AND key = ?',
      [this.#workspaceId, key],
    );
    if (present && nameKey(name) === GENERAL_CHANNEL) return yield* this.#general(present.id, values);
    if (present) return 'present';
    yield* rows(
      `INSERT INTO conversations (name, topic, created_by, created_at, archived_at, workspace_id, key, kind)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'channel')`,
      [...values, this.#workspaceId, key],
    );
    return 'added';
  }

  *#general(id: number, [, topic, createdBy, createdAt]: Value[]): Script<Outcome> {
    const taken = yield* rows(
      `UPDATE conversations SET topic = ?, created_by = ?, created_at = ?
       WHERE id = ? AND topic IS NULL AND (created_by IS DISTINCT FROM ? OR created_at <> ?)
         AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = conversations.id)
       RETURNING id`,
      [topic ?? null, createdBy ?? null, createdAt ?? null, id, createdBy ?? null, createdAt ?? null],
    );
    return outcome(taken);
  }

  *#member({ channel, agent, joinedAt, present }: Of<'member'>): Script<Outcome> {
    const added = yield* rows(
      `INSERT INTO members (conversation_id, agent_id, joined_at, present) VALUES (?, ?, ?, ?)
       ON CONFLICT DO NOTHING RETURNING agent_id`,
      [yield* this.#names.conversation(channel), yield* this.#names.agent(agent), joinedAt, flag(present)],
    );
    return outcome(added);
  }

  *#conversation({ kind, conversation, createdAt }: Of<'conversation'>): Script<Outcome> {
    const key = yield* this.#names.key(conversation);
    const before = yield* rows('SELECT id FROM conversations WHERE workspace_id = ? AND key = ?', [
      this.#workspaceId,
      key,
    ]);
    if (before.length > 0) return 'present';
    yield* conversationCommands.ensureConversation({ workspaceId: this.#workspaceId, kind, key, createdAt });
    return 'added';
  }

  *#content({ sha256, position, data }: Of<'content'>): Script<Outcome> {
    if (yield* pieceAt(sha256, position)) return 'present';
    yield* addUnchecked(sha256, position, Buffer.from(data, 'base64'));
    return 'added';
  }

  *#attachment(record: Of<'attachment'>): Script<Outcome> {
    const present = yield* rows('SELECT 1 AS yes FROM attachments WHERE id = ?', [record.id]);
    if (present.length > 0) return 'present';
    yield* takeContent(record);
    const { id, sha256, name, mediaType, size, createdAt } = record;
    const uploadedBy = yield* this.#names.agent(record.uploadedBy);
    const workspaceId = this.#workspaceId;
    yield* attachmentCommands.registerAttachment({
      id,
      workspaceId,
      sha256,
      name,
      mediaType,
      size,
      uploadedBy,
      createdAt,
      account: undefined,
    });
    return 'added';
  }

  *#message(record: Of<'message'>): Script<Outcome> {
    const [added] = yield* rows<{ seq: number }>(
      `INSERT INTO messages (id, workspace_id, conversation_id, sender_id, unverified, client_id, body, thread, reply_to, kind,
         importance, awaits_reply, created_at, expires_at, mentions, attachments, redacted_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING seq`,
      [
        record.id,
        this.#workspaceId,
        yield* this.#names.conversation(record.conversation),
        yield* this.#names.agent(record.sender),
        flag(record.unverified),
        record.clientId,
        record.body,
        orNull(record.thread),
        orNull(record.replyTo),
        record.kind,
        record.importance,
        flag(record.awaitsReply),
        record.createdAt,
        orNull(record.expiresAt),
        record.mentions.length === 0 ? null : JSON.stringify(record.mentions),
        record.attachments.length === 0 ? null : JSON.stringify(record.attachments),
        orNull(record.redactedAt),
      ],
    );
    if (!added) return (yield* this.#seqOf(record.id)) === undefined ? 'elsewhere' : 'present';
    yield* rows(
      `INSERT INTO message_attachments (message_seq, attachment_id)
       SELECT CAST(? AS bigint), id FROM attachments WHERE id IN {{texts}}`,
      [added.seq, JSON.stringify(record.attachments.map(({ id }) => id))],
    );
    return 'added';
  }

  *#delivery(record: Of<'delivery'>): Script<Outcome> {
    const seq = yield* this.#seqOf(record.message);
    if (seq === undefined) return 'elsewhere';
    const recipientId = yield* this.#names.agent(record.agent);
    const added = yield* withEntryRenewed(
      seq,
      rows(
        `INSERT INTO deliveries (recipient_id, message_seq, sender_id, conversation_id, expires_at, mentioned, path,
           claimed_by, accepted_at, uncertain_at, injected_at, turn_started_at, read_at, read_path, acked_at)
         SELECT CAST(? AS bigint), seq, sender_id, conversation_id, expires_at, CAST(? AS smallint), CAST(? AS text),
           CAST(? AS text), CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint),
           CAST(? AS bigint), CAST(? AS text), CAST(? AS bigint)
         FROM messages WHERE seq = ? ON CONFLICT DO NOTHING RETURNING message_seq`,
        [
          recipientId,
          flag(record.mentioned),
          orNull(record.path),
          orNull(record.claimedBy),
          orNull(record.acceptedAt),
          orNull(record.uncertainAt),
          orNull(record.injectedAt),
          orNull(record.turnStartedAt),
          orNull(record.readAt),
          orNull(record.readPath),
          orNull(record.ackedAt),
          seq,
        ],
      ),
    );
    if (added.length > 0)
      this.#delivered.set(recipientId, Math.min(seq, this.#delivered.get(recipientId) ?? seq));
    return outcome(added);
  }

  *#reaction(record: Of<'reaction'>): Script<Outcome> {
    const seq = yield* this.#seqOf(record.message);
    if (seq === undefined) return 'elsewhere';
    const added = yield* rows(
      `INSERT INTO reactions (message_seq, agent_id, emoji, at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO NOTHING RETURNING message_seq`,
      [seq, yield* this.#names.agent(record.agent), record.emoji, record.at],
    );
    return outcome(added);
  }

  *#seqOf(messageId: string): Script<number | undefined> {
    const [found] = yield* rows<{ seq: number }>(
      'SELECT seq FROM messages WHERE id = ? AND workspace_id = ?',
      [messageId, this.#workspaceId],
    );
    return found?.seq;
  }
}

export const commands = {
  *importRecords(
    workspaceId: number,
    records: TransferRecord[],
  ): Script<Record<Outcome, number> & { delivered: Array<{ recipientId: number; from: number }> }> {
    const counts = { added: 0, present: 0, elsewhere: 0 };
    const into = new Import(workspaceId);
    for (const record of records) counts[yield* into.add(record)] += 1;
    return { ...counts, delivered: into.delivered };
  },
};
