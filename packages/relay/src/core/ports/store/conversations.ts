import type { ConversationKind, StoredMessage } from './messages.ts';

export interface Conversation {
  id: number;
  workspaceId: number;
  kind: ConversationKind;
  /** Unique in the workspace: the sorted agent ids of a DM (`3:7`) or group (`3:7:9`), `#name` of a channel, `*` of the broadcast. */
  key: string;
}

export interface ConversationSummary {
  conversationId: number;
  kind: 'dm' | 'group';
  /** All members except the viewer. */
  participants: string[];
  last: StoredMessage;
  unread: number;
}

export interface ConversationStore {
  /** The conversation with that key, created the first time. */
  ensureConversation(conversation: Omit<Conversation, 'id'> & { createdAt: number }): Promise<Conversation>;
  findConversation(workspaceId: number, key: string): Promise<Conversation | undefined>;
  /**
   * A page of the DMs and group DMs of an agent, latest first; messages that expired before `now` do not count as
   * unread.
   */
  directConversations(agentId: number, limit: number, now: number): Promise<ConversationSummary[]>;
}
