import type {
  AgentType,
  AttachmentInfo,
  DeliveryPath,
  DeliveryState,
  Importance,
  MessageKind,
  ToolDefinition,
} from '@agent-relay/protocol';

/** The parts of the store that everything stands on: workspaces, agents, messages, deliveries, the audit trail. */
export interface CoreStore extends WorkspaceStore, AgentStore, MessageStore, DeliveryStore, AuditStore {}

export interface Workspace {
  id: number;
  name: string;
  /** What it was called before, the latest name last. They are free for others. */
  formerNames: string[];
  /** The directory it was created for, if any. */
  root: string | undefined;
  createdAt: number;
}

export interface WorkspaceKey {
  id: string;
  workspaceId: number;
  /** SHA-256 of the key, in hex. */
  hash: string;
  createdAt: number;
  revokedAt: number | undefined;
}

export interface WorkspaceStore {
  /** Creates a workspace; undefined if one of that name (compared without case) exists. */
  createWorkspace(workspace: {
    name: string;
    root: string | undefined;
    createdAt: number;
  }): Promise<Workspace | undefined>;
  /** All of them, oldest first. */
  listWorkspaces(): Promise<Workspace[]>;
  addKey(key: { id: string; workspaceId: number; hash: string; createdAt: number }): Promise<void>;
  /** The keys of a workspace, oldest first, the revoked ones too. */
  listKeys(workspaceId: number): Promise<WorkspaceKey[]>;
  findKey(id: string): Promise<WorkspaceKey | undefined>;
  /** Revokes one key, or all but `exceptId`; returns the ids that were valid until now. */
  revokeKeys(which: { workspaceId: number; id?: string; exceptId?: string; at: number }): Promise<string[]>;
}

/** What an agent says about itself; changes with each HELLO. */
export interface AgentProfile {
  cli: string | undefined;
  task: string | undefined;
  parent: string | undefined;
  capabilities: string[];
  tools: ToolDefinition[];
  mcpEnabled: boolean;
}

/** What the owner decides about an agent. */
export interface AgentStanding {
  type: AgentType;
  lead: boolean;
}

export interface Agent extends AgentProfile, AgentStanding {
  id: number;
  workspaceId: number;
  name: string;
  ephemeral: boolean;
  /** The client program that chose the name by itself, and may come back to it. */
  registeredBy: string | undefined;
  /** The client program that was connected as this agent last. */
  heldBy: string | undefined;
  /** SHA-256 of the agent token, in hex. */
  tokenHash: string;
  createdAt: number;
  lastSeenAt: number;
}

export interface AgentStore {
  /** Registers an agent; undefined if the workspace has one of that name, compared without case, or one that looks so. */
  createAgent(agent: Omit<Agent, 'id' | 'lastSeenAt'>): Promise<Agent | undefined>;
  findAgent(workspaceId: number, name: string): Promise<Agent | undefined>;
  /** The agent that holds the token, in whatever workspace. */
  findAgentByToken(tokenHash: string): Promise<Agent | undefined>;
  /** The agents of a workspace, in the order they were registered; those removed are not among them. */
  listAgents(workspaceId: number): Promise<Agent[]>;
  /** How many agents each workspace has. */
  countAgents(): Promise<Array<{ workspaceId: number; agents: number }>>;
  updateAgent(
    id: number,
    changes: Partial<
      AgentProfile & AgentStanding & { heldBy: string; tokenHash: string; lastSeenAt: number }
    >,
  ): Promise<void>;
  /** Takes an agent away: its name is free again, what it sent stays. */
  removeAgent(id: number, at: number): Promise<void>;
}

export type ConversationKind = 'dm' | 'group' | 'channel' | 'broadcast';

export interface Conversation {
  id: number;
  workspaceId: number;
  kind: ConversationKind;
  /** Unique in the workspace: the sorted agent ids of a DM (`3:7`) or group (`3:7:9`), `#name` of a channel, `*` of the broadcast. */
  key: string;
}

/** Whom a message is for. */
export type Audience =
  | { kind: 'agents'; ids: number[] }
  /** Every member of the draft's channel at the time of the commit, but the sender. */
  | { kind: 'members' }
  /** Every agent of the workspace at the time of the commit, but the sender. */
  | { kind: 'workspace' };

export interface MessageDraft {
  /** Unique everywhere. */
  id: string;
  /** Chosen by the sender; with the sender it names the message for retries. */
  clientId: string;
  workspaceId: number;
  conversationId: number;
  senderId: number;
  /** The sender is only who somebody said it was. */
  unverified: boolean;
  audience: Audience;
  body: string;
  thread: string | undefined;
  replyTo: string | undefined;
  kind: MessageKind;
  importance: Importance;
  awaitsReply: boolean;
  createdAt: number;
  expiresAt: number | undefined;
  /** The agents named in the body; their deliveries are marked. */
  mentions: Array<{ id: number; name: string }>;
  attachments: AttachmentInfo[];
}

/** A message as stored, with the names that belong to it. */
export interface StoredMessage extends Omit<MessageDraft, 'audience' | 'clientId' | 'mentions'> {
  seq: number;
  senderName: string;
  /** Another workspace than `workspaceId` when the message came from another project. */
  senderWorkspaceId: number;
  mentions: string[];
  redactedAt: number | undefined;
  /** The name of a channel as it was created, without `#`. */
  channelName: string | undefined;
  conversationKind: ConversationKind;
  conversationKey: string;
  /** The other agent of a DM. */
  recipientName: string | undefined;
}

export interface Appended {
  seq: number;
  id: string;
  thread: string | undefined;
  /** The ids of the agents it is for; of a duplicate, none. */
  recipients: number[];
  /** `same`: this sender used the id before for the same message; `other`: for another one (nothing was stored). */
  duplicate: 'no' | 'same' | 'other';
}

export interface MessageStore {
  /** The conversation of that key, created the first time. */
  ensureConversation(conversation: Omit<Conversation, 'id'> & { createdAt: number }): Promise<Conversation>;
  /**
   * Stores a message and one delivery for each agent of its audience, in one transaction.
   * The same `senderId` and `clientId` again store nothing: the first message is returned, `duplicate` telling
   * whether conversation, body, kind, importance and replyTo are the same.
   */
  appendMessage(draft: MessageDraft): Promise<Appended>;
  /** Whether the sender has a stored message of this `clientId`. */
  hasSent(senderId: number, clientId: string): Promise<boolean>;
  findMessage(workspaceId: number, id: string): Promise<StoredMessage | undefined>;
  /** The messages of a workspace with `seq > after`, in order. */
  listMessages(query: { workspaceId: number; after: number; limit: number }): Promise<StoredMessage[]>;
  /** The highest sequence number of the workspace; 0 when it has no message. */
  lastSeq(workspaceId: number): Promise<number>;
  /**
   * The first message from `senderId` to `recipientId` after `after` that answers the awaited message `question`: it is
   * in its thread or replies to it and was not taken as the answer to another one, or it was taken as that to this one.
   */
  findReply(query: {
    senderId: number;
    recipientId: number;
    after: number;
    question: { seq: number; id: string; thread: string };
  }): Promise<StoredMessage | undefined>;
  /** Notes which awaited message one to `recipientId` was taken as the answer to. The first note stays. */
  noteAnswer(answer: { recipientId: number; seq: number; question: number }): Promise<void>;
}

/** One delivery with the times of what was observed; a missing time means it was not. */
export interface Delivery {
  recipientId: number;
  recipientName: string;
  seq: number;
  path: DeliveryPath | undefined;
  acceptedAt: number | undefined;
  injectedAt: number | undefined;
  turnStartedAt: number | undefined;
  readAt: number | undefined;
  ackedAt: number | undefined;
}

/** Something observed of one delivery; the first observation of a state stays. */
export interface Observation {
  recipientId: number;
  seq: number;
  state: Exclude<DeliveryState, 'stored'>;
  path: DeliveryPath | undefined;
  at: number;
}

export interface InboxQuery {
  recipientId: number;
  unreadOnly: boolean;
  /** Only messages of this sender. */
  fromId?: number;
  /** Only messages of this conversation. */
  conversationId?: number;
  thread?: string;
  kind?: MessageKind;
  /** Only messages whose delivery is marked as a mention. */
  mentioned?: boolean;
  after: number;
  limit: number;
  /** Messages that expired before this time are left out. */
  now: number;
  /** `oldest`: the first after `after` (a feed, an unread inbox); `newest`: the last ones, still in order. */
  take: 'oldest' | 'newest';
}

export interface DeliveryStore {
  /** A page of an agent's deliveries, in order of seq. */
  inbox(query: InboxQuery): Promise<Array<StoredMessage & { readAt: number | undefined }>>;
  /** How many unread, unexpired messages an agent has. */
  countUnread(recipientId: number, now: number): Promise<number>;
  /** Records observations; `read` and `acked` imply each other downwards (acked ⇒ read). Returns how many rows changed. */
  observe(observations: Observation[]): Promise<number>;
  /** Those of `messageIds` that have a delivery to the agent. */
  deliveredSeqs(
    recipientId: number,
    messageIds: string[],
  ): Promise<Array<{ id: string; seq: number; senderId: number }>>;
  /** Every delivery of a message, by recipient name. */
  deliveriesOf(seq: number): Promise<Delivery[]>;
}

export interface AuditRecord {
  workspaceId: number;
  at: number;
  actor: string;
  action: string;
  subject: string;
  detail: Record<string, unknown> | undefined;
}

export interface AuditStore {
  /** Append-only: there is no way to change or remove a record. */
  appendAudit(record: AuditRecord): Promise<void>;
  /** The newest records of a workspace, newest first. */
  listAudit(workspaceId: number, limit: number): Promise<AuditRecord[]>;
}
