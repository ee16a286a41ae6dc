import type { Conversation, ConversationSummary } from '../../core/ports/store/conversations.ts';
import { type MessageRow, newestFitting, toMessage } from './messages.ts';
import { rows, type Script } from './script.ts';

const CONVERSATION = 'id, workspace_id AS "workspaceId", kind, key';

interface Talk {
  key: string;
  kind: ConversationSummary['kind'];
  last: number;
}

export const queries = {
  *findConversation(workspaceId: number, key: string): Script<Conversation | undefined> {
    const [found] = yield* rows<Conversation>(
      `SELECT ${CONVERSATION} FROM conversations WHERE workspace_id = ? AND key = ?`,
      [workspaceId, key],
    );
    return found && { ...found };
  },

  /** Two agents of different projects have a conversation in each, with the same key; they see one. */
  *directConversations(agentId: number, limit: number, now: number): Script<ConversationSummary[]> {
    const talks = yield* rows<Talk>(
      `WITH talks AS MATERIALIZED (
         SELECT conversations.key, conversations.kind,
           (SELECT max(seq) FROM messages WHERE conversation_id = conversations.id) AS last
         FROM participants JOIN conversations ON conversations.id = participants.conversation_id
         WHERE participants.agent_id = ?
       )
       SELECT key, min(kind) AS kind, max(last) AS last FROM talks WHERE last IS NOT NULL
       GROUP BY key ORDER BY max(last) DESC LIMIT ?`,
      [agentId, limit],
    );
    const last = yield* newestFitting(talks.map((talk) => talk.last));
    const unread = yield* unreadByKey(agentId, now);
    const names = yield* participantNames(talks.map(({ key }) => key));
    // Both are in the order of their last messages.
    return talks.slice(0, last.length).map(({ key, kind }, index) => {
      const message = toMessage(last[index] as MessageRow);
      const others = agentIds(key).filter((id) => id !== agentId);
      return {
        conversationId: message.conversationId,
        kind,
        participants: others.map((id) => names.get(id) ?? 'a removed agent').sort(),
        last: message,
        unread: unread.get(key) ?? 0,
      };
    });
  },
};

export const commands = {
  *ensureConversation(wanted: Omit<Conversation, 'id'> & { createdAt: number }): Script<Conversation> {
    const { workspaceId, kind, key, createdAt } = wanted;
    const [added] = yield* rows<Conversation>(
      `INSERT INTO conversations (workspace_id, kind, key, created_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (workspace_id, key) DO NOTHING RETURNING ${CONVERSATION}`,
      [workspaceId, kind, key, createdAt],
    );
    if (added) {
      if (kind === 'dm' || kind === 'group') yield* addParticipants(added);
      return { ...added };
    }
    return (yield* queries.findConversation(workspaceId, key)) as Conversation;
  },
};

const agentIds = (key: string): number[] => [...new Set(key.split(':').map(Number))];

/** The agents whose ids are in the key. */
function* addParticipants({ id, key }: Conversation): Script<void> {
  yield* rows(
    `INSERT INTO participants (conversation_id, agent_id)
     SELECT CAST(? AS bigint), agent.value FROM {{numbers}} AS agent`,
    [id, JSON.stringify(agentIds(key))],
  );
}

/** One query for all unread messages, instead of one per conversation. */
function* unreadByKey(agentId: number, now: number): Script<Map<string, number>> {
  const found = yield* rows<{ key: string; unread: number }>(
    `SELECT conversations.key, CAST(sum(counted.unread) AS bigint) AS unread FROM (
       SELECT d.conversation_id AS id, count(*) AS unread FROM deliveries AS d {{unread}}
       WHERE d.recipient_id = ? AND d.read_at IS NULL AND d.injected_at IS NULL AND (d.expires_at IS NULL OR d.expires_at >= ?)
       GROUP BY d.conversation_id
     ) AS counted JOIN conversations ON conversations.id = counted.id GROUP BY conversations.key`,
    [agentId, now],
  );
  return new Map(found.map(({ key, unread }) => [key, unread]));
}

function* participantNames(keys: string[]): Script<Map<number, string>> {
  const found = yield* rows<{ id: number; name: string }>(
    'SELECT id, name FROM agents WHERE id IN {{numbers}}',
    [JSON.stringify(keys.flatMap(agentIds))],
  );
  return new Map(found.map(({ id, name }) => [id, name]));
}
