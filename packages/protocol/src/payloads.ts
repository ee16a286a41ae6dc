import { z } from 'zod';
import { MAX_TIME } from './time.ts';
import {
  type AgentType,
  DELIVERY_PATHS,
  IMPORTANCES,
  type Importance,
  isClientId,
  MAX_TOOLS,
  MESSAGE_KINDS,
  type MessageKind,
} from './vocabulary.ts';

const MAX_JSON_DEPTH = 32;

/** JSON of unknown shape from a peer (schemas, arguments): an object, and not so deep that a walk could overflow. */
export const jsonObject = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => !isDeeperThan(value, MAX_JSON_DEPTH),
    `must not be nested deeper than ${MAX_JSON_DEPTH} levels`,
  );

function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

const shortText = z.string().max(4096);
export const clientId = z.string().refine(isClientId, 'must be 1 to 64 printable characters without blanks');
export const thread = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 printable characters without blanks');

export const emoji = z
  .string()
  .regex(/^(:[a-z0-9_+\-]{1,30}:|\p{RGI_Emoji})$/v, 'must be one emoji, or a name such as :eyes:');

/** A tool that an agent offers to others. */
export const toolDefinition = z.object({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/),
  description: shortText,
  inputSchema: jsonObject,
});
export type ToolDefinition = z.infer<typeof toolDefinition>;

export const capability = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/);

export const helloPayload = z.object({
  /** The protocol versions the client speaks. */
  protocol: z.object({ min: z.int().min(1), max: z.int().min(1) }).default({ min: 1, max: 1 }),
  client: z.object({ name: z.string().max(128), version: z.string().max(64) }).optional(),
  /** Without a name or a token the connection is nobody: it may only observe, and only where its credential allows. */
  name: z.string().max(256).optional(),
  /** The agent token; a new name may bring its own (see `isAgentToken`) or is issued one in WELCOME. */
  token: z.string().max(256).optional(),
  /** The client was this agent before, under this name: renamed since, it is whoever holds the token. */
  returning: z.boolean().optional(),
  workspaceKey: z.string().max(256).optional(),
  /**
   * Asks for the name on behalf of a client program that chose it by itself. It gets a new name, or one that the same
   * program registered before and no other session holds.
   */
  claim: z.object({ client: z.string().min(1).max(64), session: clientId }).optional(),
  /** Counts when the owner registers a new name on the local socket; later the owner changes it with AGENT_SET. */
  type: z.enum(['agent', 'human']).optional(),
  /** Several speak through this connection, and who does so only says it: what it sends is marked for its readers. */
  unverified: z.boolean().optional(),
  /** Collected when it leaves. */
  ephemeral: z.boolean().optional(),
  /** Counts like `type`. */
  lead: z.boolean().optional(),
  cli: z.string().max(64).optional(),
  task: shortText.optional(),
  parent: z.string().max(64).optional(),
  capabilities: z.array(capability).max(256).optional(),
  tools: z.array(toolDefinition).max(MAX_TOOLS).optional(),
  mcpEnabled: z.boolean().optional(),
  /** Push this agent's deliveries on this connection. */
  deliver: z.boolean().default(true),
  /** Everything up to this sequence number has reached this client already. */
  resumeAfter: z.int().nonnegative().optional(),
});
export type HelloPayload = z.input<typeof helloPayload>;

export interface WelcomePayload {
  protocol: number;
  daemon: { version: string; startedAt: number };
  project: string;
  /** Who this connection is; absent for an observer. */
  agent?: { name: string; type: AgentType; lead: boolean };
  /** Only when this HELLO registered a new name without bringing a token: shown once, never again. */
  agentToken?: string;
  unread?: number;
  /** Where deliveries go on, for a HELLO that said it: 0 where the relay never came as far as the client says. */
  resumeAfter?: number;
  heartbeatMs: number;
  maxFrameBytes: number;
  /** A sentence for a person, such as "restart this client: the daemon is newer". */
  advice?: string;
}

const recipient = z.string().max(256);

export const sendPayload = z.object({
  /** An address, or the names of a group; without it, `replyTo` says where the answer goes. */
  to: z.union([recipient, z.array(recipient).min(1).max(64)]).optional(),
  content: z.string(),
  thread: thread.optional(),
  replyTo: z.string().max(64).optional(),
  kind: z.enum(MESSAGE_KINDS).default('free'),
  importance: z.enum(IMPORTANCES).default('normal'),
  /** After this time the message is not delivered any more. */
  expiresAt: z.int().positive().max(MAX_TIME).optional(),
  /** Ids of files that were uploaded before. */
  attachments: z.array(z.string().max(64)).max(16).optional(),
  /** Wait for the recipient's answer: it follows as a REPLY envelope, or an ERROR `Timeout`. */
  await: z.object({ timeoutMs: z.int().min(1).max(86_400_000) }).optional(),
});
export type SendPayload = z.input<typeof sendPayload>;

/** A file that hangs on a message; its content is fetched by id. */
export interface AttachmentInfo {
  id: string;
  name: string;
  mediaType: string;
  size: number;
  sha256: string;
}

/** A message as its readers see it; the payload of DELIVER. */
export interface Message {
  /** The store's sequence number: the order of everything, and the cursor of a feed. */
  seq: number;
  id: string;
  from: string;
  /** The sender is only who somebody said it was: see `unverified` of HELLO. */
  unverified?: true;
  /** The address as resolved: a name, the names of a group, `#channel` or `*`; after `project:`, if it went to another one. */
  to: string;
  /** The sender's project, when it is not the reader's. */
  fromProject?: string;
  /** With its `#`, when it was posted in a channel. */
  channel?: string;
  /** Everybody in the group, the sender too, when it is a group message. */
  group?: string[];
  thread?: string;
  replyTo?: string;
  kind: MessageKind;
  importance: Importance;
  content: string;
  ts: number;
  expiresAt?: number;
  /** The sender asked to wait: an answer in `thread` reaches it at once, if it still does. */
  awaitsReply?: true;
  /** The agents named in the text with `@Name`. */
  mentions?: string[];
  attachments?: AttachmentInfo[];
  /** The content was taken back. */
  redacted?: true;
}

/** A message in an inbox, with what is known of its delivery to the reader. */
export interface InboxMessage extends Message {
  readAt?: number;
}

/** The payload of REPLY: the answer to an awaited message; `id` is the id of the SEND that waits. */
export interface ReplyPayload {
  id: string;
  message: Message;
}

/** The payload of EVENT. */
export type RelayEvent =
  | { type: 'message.created'; message: Message }
  | { type: 'message.redacted'; messageId: string }
  | { type: 'delivery.read' | 'delivery.acked'; messageId: string; agent: string }
  | { type: 'reaction.added' | 'reaction.removed'; messageId: string; emoji: string; agent: string }
  | { type: 'agent.online' | 'agent.offline' | 'agent.removed'; agent: string }
  | { type: 'agent.renamed'; agent: string; before: string }
  | { type: 'agent.changed'; agent: string }
  | { type: 'channel.created' | 'channel.archived' | 'channel.opened'; channel: string; agent: string }
  | { type: 'channel.joined' | 'channel.left'; channel: string; agent: string }
  | { type: 'channel.topic'; channel: string; topic: string; agent: string }
  | { type: 'message.held'; messageId: string; from: string; to: string; reason: string }
  /** The connection was too slow for single events: read again what matters. */
  | { type: 'events.missed' };

/** From the recipient: what became of deliveries. `upTo` is flow control and is not answered. */
export const ackPayload = z.union([
  z.object({ upTo: z.int().nonnegative() }).strict(),
  z
    .object({
      messages: z.array(z.string().max(64)).min(1).max(1000),
      state: z.enum(['accepted', 'injected', 'turn_started', 'read', 'acked']),
      path: z.enum(DELIVERY_PATHS).optional(),
    })
    .strict(),
]);
export type AckPayload = z.infer<typeof ackPayload>;

/** Seed of cross-agent calls: one agent calls a tool that another one offers. */
export const mcpToolCallPayload = z.object({
  kind: z.literal('mcp_tool_call'),
  server: z.string().max(256),
  tool: z.string().max(128),
  arguments: jsonObject,
  callId: clientId,
});
export type McpToolCallPayload = z.infer<typeof mcpToolCallPayload>;

export const mcpToolResultPayload = z.object({
  kind: z.literal('mcp_tool_result'),
  callId: clientId,
  result: z.unknown().optional(),
  error: z.string().optional(),
});
export type McpToolResultPayload = z.infer<typeof mcpToolResultPayload>;

export const capabilityAnnouncementPayload = z.object({
  kind: z.literal('capability_announcement'),
  capabilities: z.array(capability).max(256),
  tools: z.array(toolDefinition).max(MAX_TOOLS),
});
export type CapabilityAnnouncementPayload = z.infer<typeof capabilityAnnouncementPayload>;
