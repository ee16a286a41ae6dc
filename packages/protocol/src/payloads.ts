import { z } from 'zod';
import type { ErrorPayload } from './errors.ts';
import { isTooDeep, MAX_JSON_DEPTH } from './json-depth.ts';
import { REASON_CODES, type Reason } from './reasons.ts';
import { MAX_TIME } from './time.ts';
import {
  type AgentType,
  CLAIMING_PATHS,
  DELIVERY_PATHS,
  type DeliveryPath,
  IMPORTANCES,
  type Importance,
  isClientId,
  MAX_TOOLS,
  MESSAGE_KINDS,
  type MessageKind,
  RECEIVING_PATHS,
  type ReceivingPath,
  type ViewMode,
} from './vocabulary.ts';

/** JSON of unknown shape from a peer (schemas, arguments): an object, and not so deep that a walk could overflow. */
export const jsonObject = z
  .record(z.string(), z.unknown())
  .refine((value) => !isTooDeep(value), `must not be nested deeper than ${MAX_JSON_DEPTH} levels`);

/** Any JSON from a peer. */
export const jsonValue = z
  .unknown()
  .refine((value) => value !== undefined, 'is missing')
  .refine((value) => !isTooDeep(value), `must not be nested deeper than ${MAX_JSON_DEPTH} levels`);

const shortText = z.string().max(4096);
export const clientId = z.string().refine(isClientId, 'must be 1 to 64 printable characters without spaces');
export const thread = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 printable characters without spaces');

export const emoji = z
  .string()
  .regex(/^(:[a-z0-9_+\-]{1,30}:|\p{RGI_Emoji})$/v, 'must be one emoji, or a name such as :eyes:');

/** A tool an agent offers to others. */
export const toolDefinition = z.object({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/),
  description: shortText,
  inputSchema: jsonObject,
  /** What its results look like; without it, anything. */
  outputSchema: jsonObject.optional(),
  /** A person has to allow each call. */
  consent: z.boolean().optional(),
});
export type ToolDefinition = z.infer<typeof toolDefinition>;

/** Who calls a tool, as the daemon found out. */
export interface ToolCaller {
  type: AgentType;
  id: string;
  name: string;
  handle?: string;
  /** The session of the client program, where it named one. */
  sessionId?: string;
  /** Several share its connection, and it only says that it is this agent. */
  unverified?: true;
}

/** `unknown`: it was begun, and nobody can tell how it ended. It is never run again. */
export type InvocationStatus = 'invoked' | 'completed' | 'failed' | 'unknown';

export interface InvocationInfo {
  invocationId: string;
  actionName: string;
  status: InvocationStatus;
  /** The agent or MCP server that performs it. */
  owner: string;
  caller: ToolCaller;
  input: Record<string, unknown>;
  invokedAt: number;
  endedAt?: number;
  result?: unknown;
  error?: ErrorPayload;
}

export const capability = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/);

/** This client already has everything up to this sequence number. */
const resumeAfter = z.int().nonnegative().optional();

/** How a connection gets its agent's messages; set in HELLO, changed with RECEIVE. */
const receivingFields = {
  /** The paths by which this connection delivers to the agent. One connection of an agent delivers at a time. */
  paths: z
    .array(z.enum(RECEIVING_PATHS))
    .max(RECEIVING_PATHS.length)
    .refine(
      (paths) => !paths.includes('push') || paths.length === 1,
      'must not combine push with other paths',
    )
    .default(['push']),
  /** Notify this connection of the agent's messages (EVENT `mail.arrived`), without delivering them. */
  notify: z.boolean().default(false),
  /**
   * Identifies the program across reconnects: its new connection replaces the old one. Default: a new id for this
   * connection.
   */
  receiver: clientId.optional(),
};

export const helloPayload = z.object({
  /** The protocol versions the client supports. */
  protocol: z.object({ min: z.int().min(1), max: z.int().min(1) }).default({ min: 1, max: 1 }),
  client: z.object({ name: z.string().max(128), version: z.string().max(64) }).optional(),
  /** Without a name or a token the connection is an observer, with the rights of its credential. */
  name: z.string().max(256).optional(),
  /** A second name, with or without `@`, unique in the project. If absent, the stored one stays. */
  handle: z.string().max(256).optional(),
  /** The agent token; for a new name, the client's own (see `isAgentToken`), or one is issued in WELCOME. */
  token: z.string().max(256).optional(),
  /** The client was connected under this name before; if the agent was renamed since, the token decides. */
  returning: z.boolean().optional(),
  workspaceKey: z.string().max(256).optional(),
  /**
   * A page of the dashboard that the owner signed in: the connection is the owner, and writes as the owner's person. The
   * project to enter is by default the one the session was opened in.
   */
  page: z.object({ session: z.string().max(256), project: z.string().max(256).optional() }).optional(),
  /**
   * Requests the name for a client program that chose it. It gets a new name, or one that the same
   * program registered before and no other session holds.
   */
  claim: z.object({ client: z.string().min(1).max(64), session: clientId }).optional(),
  /** Applies when the owner registers a new name on the local socket; later the owner changes it with AGENT_SET. */
  type: z.enum(['agent', 'human']).optional(),
  /** Several users share this connection and only claim to be the agent: its messages are marked as unverified. */
  unverified: z.boolean().optional(),
  /** Removed some time after it disconnects. */
  ephemeral: z.boolean().optional(),
  /** Applies like `type`. */
  lead: z.boolean().optional(),
  cli: z.string().max(64).optional(),
  task: shortText.optional(),
  parent: z.string().max(64).optional(),
  capabilities: z.array(capability).max(256).optional(),
  tools: z.array(toolDefinition).max(MAX_TOOLS).optional(),
  mcpEnabled: z.boolean().optional(),
  ...receivingFields,
  resumeAfter,
});
export type HelloPayload = z.input<typeof helloPayload>;

export const receivePayload = z.object({ ...receivingFields, resumeAfter }).strict();

export interface WelcomePayload {
  protocol: number;
  daemon: { version: string; startedAt: number };
  project: string;
  /** Who this connection is; absent for an observer. */
  agent?: { name: string; handle?: string; type: AgentType; lead: boolean };
  /** Only if this HELLO registered a new name without a token; shown once. */
  agentToken?: string;
  unread?: number;
  /** Where deliveries continue, if HELLO had it; 0 if the store has no such sequence number. */
  resumeAfter?: number;
  heartbeatMs: number;
  maxFrameBytes: number;
  /** A sentence for a person, such as "restart this client: the daemon is newer". */
  advice?: string;
}

const recipient = z.string().max(256);
const messageIds = z.array(z.string().max(64)).min(1).max(1000);
const reasonInput = z
  .object({
    code: z.enum(REASON_CODES),
    detail: z.string().max(256).optional(),
    until: z.int().positive().max(MAX_TIME).optional(),
  })
  .strict();
export type ReasonInput = z.infer<typeof reasonInput>;

export const sendPayload = z.object({
  /** An address, or the names of a group; without it, the message goes to the conversation of `replyTo`. */
  to: z.union([recipient, z.array(recipient).min(1).max(64)]).optional(),
  content: z.string(),
  thread: thread.optional(),
  replyTo: z.string().max(64).optional(),
  kind: z.enum(MESSAGE_KINDS).default('free'),
  importance: z.enum(IMPORTANCES).default('normal'),
  /** After this time the message is no longer delivered. */
  expiresAt: z.int().positive().max(MAX_TIME).optional(),
  /** Ids of uploaded files. */
  attachments: z.array(z.string().max(64)).max(16).optional(),
  /** Wait for the recipient's answer: it follows as a REPLY envelope, or an ERROR `Timeout`. */
  await: z.object({ timeoutMs: z.int().min(1).max(86_400_000) }).optional(),
});
export type SendPayload = z.input<typeof sendPayload>;

/** A file attached to a message; its content is fetched by id. */
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
  /** Absent for an agent. */
  fromType?: Exclude<AgentType, 'agent'>;
  /** The sender's name was only claimed: see `unverified` of HELLO. */
  unverified?: true;
  /** The resolved address: a name, the names of a group, `#channel` or `*`; with `project:` if it went to another one. */
  to: string;
  /** The sender's project, when it is not the reader's. */
  fromProject?: string;
  /** With its `#`, when it was posted in a channel. */
  channel?: string;
  /** All members of the group, including the sender, if it is a group message. */
  group?: string[];
  thread?: string;
  replyTo?: string;
  kind: MessageKind;
  importance: Importance;
  content: string;
  ts: number;
  expiresAt?: number;
  /** The sender waits, or waited, for a reply in `thread`. */
  awaitsReply?: true;
  /** The agents named in the text with `@Name`. */
  mentions?: string[];
  attachments?: AttachmentInfo[];
  /** The content was erased. */
  redacted?: true;
}

/** A message in an inbox, with its delivery status for the reader. */
export interface InboxMessage extends Message {
  readAt?: number;
}

/** The payload of REPLY: the answer to an awaited message; `id` is the id of the SEND that waits. */
export interface ReplyPayload {
  id: string;
  message: Message;
}

/** What was observed of a delivery, for the sender and the owner. */
export interface DeliveryEvent {
  type: `delivery.${'accepted' | 'injected' | 'turn_started' | 'refused' | 'uncertain' | 'read' | 'acked'}`;
  messageId: string;
  agent: string;
  path?: DeliveryPath;
  reason?: Reason;
}

/** What happened to the program of an agent; `waiting`: for something only a person can do, until `resumed`. */
export interface SessionEvent {
  type: `session.${'started' | 'ready' | 'waiting' | 'resumed' | 'exited'}`;
  agent: string;
  /** What it waits for. */
  reason?: Reason;
  exit?: { code: number; signal?: string };
}

/** What viewers ask of the host of a terminal. */
export type TerminalCommand =
  /** How many there are: without any, nothing is sent. */
  | { kind: 'viewers'; count: number }
  /** What is on the screen, for one of them. */
  | { kind: 'screen'; viewer: string }
  | { kind: 'input'; data: string }
  | { kind: 'size'; columns: number; rows: number }
  | { kind: 'hold'; held: boolean }
  /** A person's answer to the permission prompt with this digest, if it is open; said with PROMPT_REPORT. */
  | { kind: 'answer'; request: string; digest: string; answer: 'allow' | 'deny' };

/** A terminal as one of its viewers has it. */
export interface TerminalState {
  mode: ViewMode;
  /** A viewer keeps messages from being typed. */
  held: boolean;
  viewers: number;
}

/** Whether a path can deliver now; `away` when its connection has ended. */
export type PathState = 'ready' | 'waits' | 'away';

/** Why a call ended before its handler did. */
export type CallEnd = 'cancelled' | 'timeout' | 'caller_gone';

/** The payload of EVENT. */
export type RelayEvent =
  | { type: 'message.created'; message: Message }
  | { type: 'message.redacted'; messageId: string }
  /** A message for this agent, for a connection with `notify`. */
  | { type: 'mail.arrived'; message: Message }
  /** There may be something to claim, for the connection whose paths are in use. */
  | { type: 'mail.claimable' }
  | DeliveryEvent
  /** The state of an agent's path. */
  | { type: 'path.changed'; agent: string; path: ReceivingPath; state: PathState; reason?: Reason }
  | { type: 'reaction.added' | 'reaction.removed'; messageId: string; emoji: string; agent: string }
  | { type: 'agent.online' | 'agent.offline' | 'agent.removed'; agent: string }
  | { type: 'agent.renamed'; agent: string; before: string }
  | { type: 'agent.changed'; agent: string }
  | { type: 'channel.created' | 'channel.archived' | 'channel.opened'; channel: string; agent: string }
  | { type: 'channel.joined' | 'channel.left'; channel: string; agent: string }
  | { type: 'channel.topic'; channel: string; topic: string; agent: string }
  | SessionEvent
  /** For who asked for a SPAWN that takes long. */
  | { type: 'spawn.progress'; agent: string; text: string }
  /** For the host of a run: end the program and all it started. */
  | { type: 'run.end'; run: string }
  | { type: 'terminal.command'; run: string; command: TerminalCommand }
  /** For a viewer, as base64; with `screen` it begins anew, in a terminal of this size. */
  | { type: 'terminal.output'; viewer: string; data: string; screen?: { columns: number; rows: number } }
  | ({ type: 'terminal.changed'; viewer: string } & TerminalState)
  /** The program has ended, or its host is gone. */
  | { type: 'terminal.ended'; viewer: string; exit?: { code: number; signal?: string } }
  /** For the owner: another permission prompt of the agent is open, or none any more. */
  | { type: 'prompt.changed'; agent: string }
  /** The tools that an agent offers are not the same as before. */
  | { type: 'tools.changed'; agent: string }
  /** For the owner: the state of an MCP server of the daemon, or which ones there are. */
  | { type: 'servers.changed' }
  /** For who invoked an action, who performs it, and the owner; `failed` also where nobody can tell how it ended. */
  | { type: `action.${'invoked' | 'completed' | 'failed'}`; invocation: InvocationInfo }
  /** For the connection that handles the call: nobody waits for its result any more. */
  | { type: 'call.cancelled'; callId: string; reason: CallEnd }
  | { type: 'message.held'; messageId: string; from: string; to: string; reason: string }
  /** The connection was too slow to get each event: query again what matters. */
  | { type: 'events.missed' };

/** From the recipient: `upTo` is flow control and is not answered; the other form reports on messages. */
export const ackPayload = z.union([
  z.object({ upTo: z.int().nonnegative() }).strict(),
  z
    .object({
      messages: messageIds,
      state: z.enum(['read', 'acked']),
      path: z.enum(DELIVERY_PATHS).optional(),
    })
    .strict(),
]);
export type AckPayload = z.infer<typeof ackPayload>;

/** What a path reports about itself (`ready`, `waits`), or about messages it claimed. */
export const reportPayload = z.union([
  z
    .object({
      path: z.enum(CLAIMING_PATHS),
      state: z.enum(['ready', 'waits']),
      reason: reasonInput.optional(),
    })
    .strict(),
  z
    .object({
      path: z.enum(CLAIMING_PATHS),
      messages: messageIds,
      state: z.enum(['injected', 'turn_started', 'refused', 'uncertain']),
      reason: reasonInput.optional(),
    })
    .strict(),
]);
export type ReportPayload = z.infer<typeof reportPayload>;

export const capabilityAnnouncementPayload = z.object({
  kind: z.literal('capability_announcement'),
  capabilities: z.array(capability).max(256),
  tools: z.array(toolDefinition).max(MAX_TOOLS),
});
export type CapabilityAnnouncementPayload = z.infer<typeof capabilityAnnouncementPayload>;
