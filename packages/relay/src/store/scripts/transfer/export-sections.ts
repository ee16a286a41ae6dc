import type { TransferRecord } from '@agent-relay/protocol';
import { rows, type Script } from '../script.ts';
import { queries as toolQueries } from '../tools.ts';
import { agentNames, conversationNames } from './names.ts';

/** A page is an answer in one frame: it ends before the frame gets too large. */
export const MAX_PAGE_BYTES = 384 * 1024;
/** Pieces of files are large: more would be read for nothing. */
const MAX_PIECES = 2;

export type Position = Array<string | number>;
export interface Line {
  /** The next page continues after this. */
  at: Position;
  record: TransferRecord;
}

/** Reads the records of one kind after a position, `[]` at the start; an empty result means the end. */
type Section = (workspaceId: number, after: Position, limit: number) => Script<Line[]>;

export type Of<Type extends TransferRecord['type']> = Extract<TransferRecord, { type: Type }>;
/** The fields of a record that are columns of a row; missing values are null. */
type Fields<Type extends TransferRecord['type'], Names extends keyof Of<Type>> = {
  [Name in Names]: undefined extends Of<Type>[Name]
    ? Exclude<Of<Type>[Name], undefined> | null
    : Of<Type>[Name];
};

/** The record without the fields that have no value. */
const withoutNulls = <R extends object>(record: R) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)) as {
    [Field in keyof R]: Exclude<R[Field], null>;
  };

function* agents(workspaceId: number, [after = 0]: Position, limit: number): Script<Line[]> {
  type AgentRow = Fields<
    'agent',
    'handle' | 'agentType' | 'cli' | 'task' | 'parent' | 'createdAt' | 'lastSeenAt' | 'removedAt'
  > &
    Record<'id' | 'lead' | 'ephemeral' | 'mcpEnabled' | 'hasTools', number> &
    Record<'capabilities', string>;
  const found = yield* rows<AgentRow>(
    `SELECT id, handle, type AS "agentType", is_lead AS lead, ephemeral, cli, task, parent, capabilities,
       mcp_enabled AS "mcpEnabled", created_at AS "createdAt", last_seen_at AS "lastSeenAt", removed_at AS "removedAt",
       CASE WHEN EXISTS (SELECT 1 FROM agent_tools WHERE agent_id = agents.id) THEN 1 ELSE 0 END AS "hasTools"
     FROM agents WHERE workspace_id = ? AND id > ? ORDER BY id LIMIT ?`,
    [workspaceId, after, limit],
  );
  const name = yield* agentNames(
    workspaceId,
    found.map(({ id }) => id),
  );
  const lines: Line[] = [];
  let bytes = 0;
  for (const { id, hasTools, ...row } of found) {
    const tools = hasTools === 1 ? yield* toolQueries.toolsOf(id) : [];
    const record = withoutNulls({
      type: 'agent' as const,
      agent: name(id),
      ...row,
      lead: row.lead === 1,
      ephemeral: row.ephemeral === 1,
      mcpEnabled: row.mcpEnabled === 1,
      capabilities: JSON.parse(row.capabilities),
      tools,
    }) as Of<'agent'>;
    lines.push({ at: [id], record });
    // Tools may be large: only as many are read as fit in the page.
    bytes += JSON.stringify(tools).length;
    if (bytes > MAX_PAGE_BYTES) break;
  }
  return lines;
}

function* channels(workspaceId: number, [after = 0]: Position, limit: number): Script<Line[]> {
  type ChannelRow = Omit<Fields<'channel', keyof Of<'channel'>>, 'type'> & { id: number };
  const found = yield* rows<ChannelRow>(
    `SELECT id, COALESCE(name, substr(key, 2)) AS name, topic, COALESCE(created_by, 'relay') AS "createdBy",
       created_at AS "createdAt", archived_at AS "archivedAt"
     FROM conversations WHERE workspace_id = ? AND kind = 'channel' AND id > ? ORDER BY id LIMIT ?`,
    [workspaceId, after, limit],
  );
  return found.map(({ id, ...row }) => ({
    at: [id],
    record: withoutNulls({ type: 'channel' as const, ...row }) as Of<'channel'>,
  }));
}

function* members(workspaceId: number, [channel = 0, agent = 0]: Position, limit: number): Script<Line[]> {
  type MemberRow = { id: number; key: string; agentId: number; joinedAt: number; present: number };
  const found = yield* rows<MemberRow>(
    `SELECT c.id, c.key, members.agent_id AS "agentId", members.joined_at AS "joinedAt", members.present
     FROM conversations AS c JOIN members ON members.conversation_id = c.id
     WHERE c.workspace_id = ? AND (c.id, members.agent_id) > (?, ?) ORDER BY c.id, members.agent_id LIMIT ?`,
    [workspaceId, channel, agent, limit],
  );
  const name = yield* agentNames(
    workspaceId,
    found.map(({ agentId }) => agentId),
  );
  return found.map(({ id, key, agentId, joinedAt, present }) => ({
    at: [id, agentId],
    record: { type: 'member', channel: key, agent: name(agentId), joinedAt, present: present === 1 },
  }));
}

function* conversations(workspaceId: number, [after = 0]: Position, limit: number): Script<Line[]> {
  type ConversationRow = { id: number; kind: Of<'conversation'>['kind']; key: string; createdAt: number };
  const found = yield* rows<ConversationRow>(
    `SELECT id, kind, key, created_at AS "createdAt" FROM conversations
     WHERE workspace_id = ? AND kind <> 'channel' AND id > ? ORDER BY id LIMIT ?`,
    [workspaceId, after, limit],
  );
  const name = yield* conversationNames(
    workspaceId,
    found.map(({ key }) => key),
  );
  return found.map(({ id, kind, key, createdAt }) => ({
    at: [id],
    record: { type: 'conversation', kind, conversation: name(key), createdAt },
  }));
}

/** A file also belongs to a workspace it was sent to. */
const FILE_IN_WORKSPACE = `(a.workspace_id = ? OR EXISTS (
  SELECT 1 FROM message_attachments JOIN messages ON messages.seq = message_attachments.message_seq
  WHERE message_attachments.attachment_id = a.id AND messages.workspace_id = ?))`;

function* contents(workspaceId: number, [sha = '', position = 0]: Position, limit: number): Script<Line[]> {
  const found = yield* rows<{ sha256: string; position: number; piece: Uint8Array }>(
    `SELECT sha256, position, piece FROM contents WHERE (sha256, position) > (?, ?) AND EXISTS
       (SELECT 1 FROM attachments AS a WHERE a.sha256 = contents.sha256 AND ${FILE_IN_WORKSPACE})
     ORDER BY sha256, position LIMIT ?`,
    [sha, position, workspaceId, workspaceId, Math.min(limit, MAX_PIECES)],
  );
  return found.map(({ sha256, position: start, piece }) => ({
    at: [sha256, start],
    record: { type: 'content', sha256, position: start, data: Buffer.from(piece).toString('base64') },
  }));
}

function* attachments(workspaceId: number, [after = '']: Position, limit: number): Script<Line[]> {
  type AttachmentRow = Omit<Of<'attachment'>, 'type' | 'uploadedBy'> & { uploaderId: number };
  const found = yield* rows<AttachmentRow>(
    `SELECT a.id, a.name, a.media_type AS "mediaType", a.size, a.sha256, a.uploaded_by AS "uploaderId",
       a.created_at AS "createdAt"
     FROM attachments AS a WHERE a.id > ? AND ${FILE_IN_WORKSPACE} ORDER BY a.id LIMIT ?`,
    [after, workspaceId, workspaceId, limit],
  );
  const name = yield* agentNames(
    workspaceId,
    found.map(({ uploaderId }) => uploaderId),
  );
  return found.map(({ uploaderId, ...row }) => ({
    at: [row.id],
    record: { type: 'attachment', ...row, uploadedBy: name(uploaderId) },
  }));
}

function* messages(workspaceId: number, [after = 0]: Position, limit: number): Script<Line[]> {
  type Text = 'id' | 'clientId' | 'body' | 'thread' | 'replyTo' | 'kind' | 'importance';
  type MessageRow = Fields<'message', Text | 'createdAt' | 'expiresAt' | 'redactedAt'> &
    Record<'seq' | 'senderId' | 'unverified' | 'awaitsReply', number> & { key: string } & Record<
      'mentions' | 'attachments',
      string | null
    >;
  const found = yield* rows<MessageRow>(
    `SELECT m.seq, m.id, m.client_id AS "clientId", c.key, m.sender_id AS "senderId", m.unverified, m.body, m.thread,
       m.reply_to AS "replyTo", m.kind, m.importance, m.awaits_reply AS "awaitsReply", m.created_at AS "createdAt",
       m.expires_at AS "expiresAt", m.mentions, m.attachments, m.redacted_at AS "redactedAt"
     FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
     WHERE m.workspace_id = ? AND m.seq > ? ORDER BY m.seq LIMIT ?`,
    [workspaceId, after, limit],
  );
  const conversation = yield* conversationNames(
    workspaceId,
    found.map(({ key }) => key),
  );
  const sender = yield* agentNames(
    workspaceId,
    found.map(({ senderId }) => senderId),
  );
  return found.map(({ seq, key, senderId, ...row }) => ({
    at: [seq],
    record: withoutNulls({
      type: 'message' as const,
      ...row,
      conversation: conversation(key),
      sender: sender(senderId),
      unverified: row.unverified === 1,
      awaitsReply: row.awaitsReply === 1,
      mentions: JSON.parse(row.mentions ?? '[]'),
      attachments: JSON.parse(row.attachments ?? '[]'),
    }) as Of<'message'>,
  }));
}

function* deliveries(workspaceId: number, [seq = 0, recipient = 0]: Position, limit: number): Script<Line[]> {
  type Times = 'acceptedAt' | 'uncertainAt' | 'injectedAt' | 'turnStartedAt' | 'readAt' | 'ackedAt';
  type DeliveryRow = Fields<'delivery', 'message' | 'path' | 'readPath' | 'claimedBy' | Times> &
    Record<'seq' | 'recipientId' | 'mentioned', number>;
  const found = yield* rows<DeliveryRow>(
    `SELECT m.seq, d.recipient_id AS "recipientId", m.id AS message, d.mentioned, d.path,
       d.claimed_by AS "claimedBy", d.accepted_at AS "acceptedAt", d.uncertain_at AS "uncertainAt", d.injected_at AS "injectedAt", d.turn_started_at AS "turnStartedAt",
       d.read_at AS "readAt", d.read_path AS "readPath", d.acked_at AS "ackedAt"
     FROM messages AS m CROSS JOIN deliveries AS d
     WHERE m.workspace_id = ? AND m.seq >= ? AND d.message_seq = m.seq AND (m.seq > ? OR d.recipient_id > ?)
     ORDER BY m.seq, d.recipient_id LIMIT ?`,
    [workspaceId, seq, seq, recipient, limit],
  );
  const name = yield* agentNames(
    workspaceId,
    found.map(({ recipientId }) => recipientId),
  );
  return found.map(({ seq: at, recipientId, mentioned, ...row }) => ({
    at: [at, recipientId],
    record: withoutNulls({
      type: 'delivery' as const,
      ...row,
      agent: name(recipientId),
      mentioned: mentioned === 1,
    }) as Of<'delivery'>,
  }));
}

function* reactions(
  workspaceId: number,
  [seq = 0, agent = 0, last = '']: Position,
  limit: number,
): Script<Line[]> {
  type ReactionRow = { seq: number; message: string; agentId: number; emoji: string; at: number };
  const found = yield* rows<ReactionRow>(
    `SELECT m.seq, m.id AS message, r.agent_id AS "agentId", r.emoji, r.at
     FROM messages AS m CROSS JOIN reactions AS r
     WHERE m.workspace_id = ? AND m.seq >= ? AND r.message_seq = m.seq
       AND (m.seq > ? OR (r.agent_id, r.emoji) > (?, ?))
     ORDER BY m.seq, r.agent_id, r.emoji LIMIT ?`,
    [workspaceId, seq, seq, agent, last, limit],
  );
  const name = yield* agentNames(
    workspaceId,
    found.map(({ agentId }) => agentId),
  );
  return found.map(({ seq: of, message, agentId, emoji, at }) => ({
    at: [of, agentId, emoji],
    record: { type: 'reaction', message, agent: name(agentId), emoji, at },
  }));
}

/** The sections of an export in order, with the types of their positions. */
export const SECTIONS: Array<[read: Section, ...position: Array<'number' | 'string'>]> = [
  [agents, 'number'],
  [channels, 'number'],
  [members, 'number', 'number'],
  [conversations, 'number'],
  [contents, 'string', 'number'],
  [attachments, 'string'],
  [messages, 'number'],
  [deliveries, 'number', 'number'],
  [reactions, 'number', 'number', 'string'],
];
