import { z } from 'zod';
import type { ErrorPayload } from '../errors.ts';
import { REASON_CODES } from '../messages/reasons.ts';
import { MAX_TIME } from '../text/time.ts';
import {
  type AgentType,
  CLAIMING_PATHS,
  DELIVERY_PATHS,
  IMPORTANCES,
  isClientId,
  MAX_TOOLS,
  MESSAGE_KINDS,
  RECEIVING_PATHS,
} from '../vocabulary.ts';
import { isTooDeep, MAX_JSON_DEPTH } from './json-depth.ts';

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

// In a function, so that it is made on first use: that takes tens of milliseconds, which no daemon should need to start.
const isEmoji = (text: string): boolean => /^(:[a-z0-9_+\-]{1,30}:|\p{RGI_Emoji})$/v.test(text);
export const emoji = z.string().refine(isEmoji, 'must be one emoji, or a name such as :eyes:');

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

/** The caller of a tool, as established by the daemon. */
export interface ToolCaller {
  type: AgentType;
  id: string;
  name: string;
  handle?: string;
  /** The session of the client program, where it named one. */
  sessionId?: string;
  /** Several users share its connection; the name is only claimed. */
  unverified?: true;
}

/** `unknown`: it was started, but its outcome is unknown. It is never run again. */
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

const category = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/);

export const capability = z.union([
  category,
  z.object({ category, description: z.string().min(1).max(512) }).strict(),
]);

/** This client already has everything up to this sequence number. */
const resumeAfter = z.int().nonnegative().optional();

const hookReasons = z.object({ before: z.enum(REASON_CODES), between: z.enum(REASON_CODES) }).strict();
export type HookReasons = z.infer<typeof hookReasons>;

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
  /**
   * From a connection without paths: the agent's CLI has hooks of the relay, which connect for a moment each. Why messages wait
   * while none of them is there: before one has been, and after.
   */
  hooks: hookReasons.optional(),
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
  /** The session of the client program, told to those whose tools and actions it calls. Default: the one of `claim`. */
  session: clientId.optional(),
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
