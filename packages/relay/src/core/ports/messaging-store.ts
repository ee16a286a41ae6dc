import type { AttachmentInfo, TransferRecord } from '@agent-relay/protocol';
import type { Appended, MessageDraft, StoredMessage, Workspace } from './core-store.ts';

/** The parts of the store that hold conversations beyond direct messages; the promises of `Store` hold for them too. */
export interface MessagingStore
  extends ChannelStore,
    HistoryStore,
    ReactionStore,
    AttachmentStore,
    HeldStore,
    UpkeepStore,
    TransferStore {}

export interface Channel {
  /** The id of its conversation. */
  id: number;
  workspaceId: number;
  name: string;
  topic: string | undefined;
  createdBy: string;
  createdAt: number;
  archivedAt: number | undefined;
}

/**
 * Channels are conversations of kind `channel` with key `#` + the name in lower case. Members get deliveries of what
 * is posted after they joined. `#general` has no member rows: every agent of the workspace is in it.
 */
export interface ChannelStore {
  /** Creates a channel; undefined if one of that name exists, archived or not. */
  createChannel(channel: Omit<Channel, 'id' | 'archivedAt'>): Promise<Channel | undefined>;
  listChannels(workspaceId: number): Promise<Channel[]>;
  updateChannel(id: number, changes: { topic?: string; archivedAt?: number | null }): Promise<void>;
  /** True if the agent was not a member before. */
  addMember(channelId: number, agentId: number, at: number): Promise<boolean>;
  /** True if the agent was a member. */
  removeMember(channelId: number, agentId: number): Promise<boolean>;
  /** Who is in which channel; agents that were removed are in none. */
  listMemberships(workspaceId: number): Promise<Array<{ channelId: number; agentId: number }>>;
}

/**
 * Whose eyes a query looks through. An agent sees a message if it sent it, if it was delivered to it, or if it stands
 * in `#general` or in a channel the agent is a member of. `undefined` is the owner, who sees the whole workspace.
 */
export type Viewer = number | undefined;

export interface HistoryQuery {
  /** Whose messages; an agent also finds what it wrote into other workspaces. */
  workspaceId: number;
  viewer: Viewer;
  /** Only this conversation. */
  conversationId?: number;
  /** Only messages sent by, or delivered to, this agent. */
  involvingId?: number;
  thread?: string;
  /** Created at or after. */
  since?: number;
  /** Cursors: only seq < before, only seq > after. */
  before?: number;
  after?: number;
  limit: number;
}

export interface SearchQuery {
  /** Whose messages; an agent also finds what it wrote into other workspaces. */
  workspaceId: number;
  viewer: Viewer;
  /** Words that must all occur, and phrases in double quotes; anything else in it is plain text. */
  text: string;
  conversationId?: number;
  senderId?: number;
  since?: number;
  until?: number;
  limit: number;
}

export interface ConversationSummary {
  conversationId: number;
  kind: 'dm' | 'group';
  /** Everybody in it but the viewer. */
  participants: string[];
  last: StoredMessage;
  unread: number;
}

export interface HistoryStore {
  /** A page in order of seq: the newest before `before` (or of all), or, with `after`, the oldest after it. */
  history(query: HistoryQuery): Promise<StoredMessage[]>;
  /** A message the viewer may see. The sender and the recipients of a message from another project may see it too. */
  visibleMessage(viewer: Viewer, workspaceId: number, id: string): Promise<StoredMessage | undefined>;
  /**
   * Newest first. `highlight` is the part around the words found, each between U+E000 and U+E001. Words compare
   * without case and accents. Of messages with the words the newest 10,000 that may concern the viewer are looked at;
   * more can only matter to an agent that has left a busy channel, or asks for one it was never in.
   */
  search(query: SearchQuery): Promise<Array<{ message: StoredMessage; highlight: string }>>;
  /**
   * Brings the search index up to date by at most `limit` messages, when no other write is waiting; returns how many.
   * Cheap when it is. Search does so by itself before it looks.
   */
  indexForSearch(limit: number): Promise<number>;
  /** The DMs and group DMs of an agent, the one with the newest message first; what expired before `now` is not unread. */
  directConversations(agentId: number, limit: number, now: number): Promise<ConversationSummary[]>;
  /** Who has read a message, and who has not yet, by name. */
  readers(seq: number): Promise<{ read: Array<{ agent: string; at: number }>; unread: string[] }>;
}

export interface ReactionStore {
  /** True if it was not there before. */
  addReaction(reaction: { seq: number; agentId: number; emoji: string; at: number }): Promise<boolean>;
  /** True if it was there. */
  removeReaction(reaction: { seq: number; agentId: number; emoji: string }): Promise<boolean>;
  /** In the order of the first use of each emoji. */
  reactionsOf(seqs: number[]): Promise<Array<{ seq: number; emoji: string; agents: string[] }>>;
}

export interface Attachment extends AttachmentInfo {
  workspaceId: number;
  uploadedBy: number;
  createdAt: number;
}

export interface AttachmentStore {
  /** Equal content (same sha256) is stored once. Large content takes several transactions, so that nobody waits for it. */
  addAttachment(attachment: Attachment, content: Uint8Array): Promise<void>;
  /** An attachment the viewer uploaded, or that hangs on a message the viewer may see. */
  visibleAttachment(viewer: Viewer, workspaceId: number, id: string): Promise<Attachment | undefined>;
  readContent(sha256: string, offset: number, length: number): Promise<Uint8Array>;
  /** How many bytes of content the workspace has, for its limit. */
  attachmentBytes(workspaceId: number): Promise<number>;
}

/** Messages kept back by the loop governor: not in any inbox until a person releases them. */
export interface HeldMessage {
  /** The id the message will have. */
  id: string;
  workspaceId: number;
  senderName: string;
  reason: string;
  heldAt: number;
  draft: MessageDraft;
  /** Its address as readers will see it. */
  shown: { to: string; channel?: string; group?: string[] };
  /** What a person decided; the text, the mentions and the files of its draft are gone then. */
  settled?: Settlement;
}

export interface Settlement {
  outcome: 'released' | 'discarded';
  by: string;
  at: number;
}

export interface HeldStore {
  /**
   * Keeps a message back, unless its sender has stored one of the same `clientId` before: then that one is returned, as
   * `appendMessage` does, and nothing is kept.
   */
  holdMessage(held: HeldMessage): Promise<Appended | undefined>;
  /** One that waits, or waited until it was settled. */
  findHeld(id: string): Promise<HeldMessage | undefined>;
  /** Those that wait, in the order they came. */
  listHeld(workspaceId: number): Promise<HeldMessage[]>;
  /** Ends the waiting of one; whoever does has appended it, or lets it go. The first settlement stays. */
  settleHeld(id: string, settlement: Settlement): Promise<void>;
}

export interface UpkeepStore {
  /** Empties a message for good: body, search index, attachments nobody else uses. False if it was empty already. */
  redactMessage(seq: number, at: number): Promise<boolean>;
  /**
   * Deletes up to `limit` messages created before `before`, in order of seq, with all that hangs on them; fewer if they
   * went to very many agents. Returns how many: 0 when none is left. What is known of held messages settled before then
   * goes with the last of them.
   */
  deleteMessagesBefore(before: number, limit: number): Promise<number>;
  /** False if the name, or one that looks like it, is taken. */
  renameAgent(id: number, name: string): Promise<boolean>;
  /** The name it had becomes a former one. False if the name is taken. */
  renameWorkspace(id: number, name: string): Promise<boolean>;
  /**
   * Deletes the workspace and everything in it, in several transactions; if it rejects, ask again. What its agents
   * wrote to other workspaces stays there. The audit trail of the whole database keeps that it happened.
   */
  removeWorkspace(workspace: Workspace, at: number): Promise<void>;
  /** Allows, or no longer allows, an agent to write into another workspace. */
  setGrant(agentId: number, workspaceId: number, allowed: boolean): Promise<void>;
  hasGrant(agentId: number, workspaceId: number): Promise<boolean>;
}

/** Keys, tokens, grants, held messages and the audit trail are no part of an export. */
export interface TransferStore {
  /**
   * A page of everything in a workspace, in an order that is the same each time; what a record speaks of comes before
   * it. `next` is the cursor of the following page, undefined after the last. Two workspaces are equal if their records
   * are.
   */
  exportPage(
    workspaceId: number,
    cursor: string | undefined,
    limit: number,
  ): Promise<{ records: TransferRecord[]; next: string | undefined }>;
  /**
   * Adds records in the order of their export. Ids and times of messages stay; what is there already stays as it is, so
   * that an import can be repeated. Returns how many were added, were there, or belong to another workspace of this
   * database and were left out; and for each agent with new deliveries, which may be before others that it has, the
   * first of them.
   */
  importRecords(
    workspaceId: number,
    records: TransferRecord[],
  ): Promise<{
    added: number;
    present: number;
    elsewhere: number;
    delivered: Array<{ recipientId: number; from: number }>;
  }>;
}
