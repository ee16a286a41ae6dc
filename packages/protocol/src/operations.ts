import { z } from 'zod';
import {
  type AgentType,
  ackPayload,
  capabilityAnnouncementPayload,
  clientId,
  type DeliveryPath,
  type DeliveryState,
  type InboxMessage,
  type Message,
  mcpToolCallPayload,
  mcpToolResultPayload,
  sendPayload,
  type ToolDefinition,
} from './payloads.ts';

/** An agent as others see it. */
export interface AgentInfo {
  name: string;
  type: AgentType;
  status: 'active' | 'idle' | 'offline';
  lead: boolean;
  project: string;
  cli?: string;
  task?: string;
  parent?: string;
  connectedAt?: number;
  lastActivityAt?: number;
  capabilities: string[];
  tools: ToolDefinition[];
  mcpEnabled: boolean;
}

export interface SendResult {
  messageId: string;
  seq: number;
  /** The thread the message is in, given by the relay when an answer is awaited. */
  thread?: string;
  /** True when this id had been stored before: nothing new happened. */
  duplicate: boolean;
  /** How many agents it is for, how many of them were connected when it was stored, and (some of) who was not. */
  recipients: number;
  online: number;
  offline: string[];
}

/** What is known of one delivery, and why it waits if it does. */
export interface DeliveryTrace {
  recipient: string;
  state: DeliveryState;
  path?: DeliveryPath;
  /** Why it goes no further, for a person: `offline`, `expired`, `not fetched yet` … */
  reason?: string;
  transitions: Array<{ state: DeliveryState; at: number }>;
}

export interface KeyInfo {
  id: string;
  createdAt: number;
  revokedAt?: number;
}

export interface WorkspaceInfo {
  name: string;
  createdAt: number;
  agents: number;
  socketPath?: string;
}

export interface AuditEntry {
  at: number;
  actor: string;
  action: string;
  subject: string;
  detail?: Record<string, unknown>;
}

export interface DaemonStatus {
  version: string;
  pid: number;
  startedAt: number;
  database: string;
  project: string;
  socketPath?: string;
  agent?: string;
  unread?: number;
  connections: number;
  agentsOnline: number;
  /** Where WebSocket, health and metrics are served; absent when switched off. */
  http?: string;
}

/** Marks the type of an operation's result; results come from the daemon, so only the daemon checks them, by type. */
const result = <T>() => undefined as unknown as T;

const none = z.object({}).strict();
const workspaceName = z.string().max(256);

/**
 * Every request a client can make: the envelope's `type`, the schema of its payload, the type of its result.
 * A request is answered by one ACK whose payload is `{id: <the request's id>, …result}`, or by one ERROR.
 */
export const OPERATIONS = {
  SEND: { params: sendPayload, result: result<SendResult>() },
  /** The sender stops waiting for the answer to the SEND with this id. What was sent stays sent. */
  CANCEL: { params: z.object({ id: clientId }).strict(), result: result<Record<never, never>>() },
  INBOX: {
    params: z
      .object({
        limit: z.int().min(1).max(500).default(10),
        unread_only: z.boolean().default(true),
        from: z.string().max(256).optional(),
        channel: z.string().max(256).optional(),
        /** Only messages after this sequence number. */
        after: z.int().nonnegative().optional(),
      })
      .strict(),
    result: result<{ messages: InboxMessage[]; unread: number }>(),
  },
  WHO: {
    params: z
      .object({
        include_idle: z.boolean().default(true),
        includeOffline: z.boolean().default(false),
        project: z.string().max(256).optional(),
      })
      .strict(),
    result: result<{ agents: AgentInfo[] }>(),
  },
  STATUS: { params: none, result: result<DaemonStatus>() },
  TRACE: {
    params: z.object({ id: z.string().max(64) }).strict(),
    result: result<{ message: Message; deliveries: DeliveryTrace[] }>(),
  },
  /** Follow every message of the project as EVENT envelopes; for its owner. */
  TAIL: {
    params: z.object({ after: z.int().nonnegative().optional() }).strict(),
    result: result<{ after: number }>(),
  },
  /** Follow the coming and going of the project's agents as EVENT envelopes. */
  WATCH: { params: none, result: result<Record<never, never>>() },
  ACK: { params: ackPayload, result: result<{ changed: number }>() },
  ANNOUNCE: { params: capabilityAnnouncementPayload, result: result<Record<never, never>>() },
  CALL: { params: mcpToolCallPayload, result: result<{ callId: string }>() },
  RESULT: { params: mcpToolResultPayload, result: result<Record<never, never>>() },
  SPAWN: {
    params: z
      .object({
        name: z.string().max(256),
        cli: z.string().max(64),
        task: z.string().max(65_536),
        model: z.string().max(128).optional(),
        cwd: z.string().max(4096).optional(),
      })
      .strict(),
    result: result<{ success: boolean; error?: string }>(),
  },
  RELEASE: {
    params: z.object({ name: z.string().max(256), reason: z.string().max(4096).optional() }).strict(),
    result: result<{ success: boolean; error?: string }>(),
  },
  WORKSPACE_CREATE: {
    params: z.object({ name: workspaceName }).strict(),
    result: result<{ name: string; key: string; keyId: string; socketPath?: string }>(),
  },
  WORKSPACE_LIST: { params: none, result: result<{ workspaces: WorkspaceInfo[] }>() },
  /** Opens the project of a directory, creating it under its base name (made unique) the first time. */
  PROJECT_OPEN: {
    params: z.object({ root: z.string().min(1).max(4096), name: workspaceName.optional() }).strict(),
    result: result<{ project: string; socketPath: string; created: boolean }>(),
  },
  KEY_CREATE: {
    params: z.object({ workspace: workspaceName.optional() }).strict(),
    result: result<{ key: string; keyId: string }>(),
  },
  KEY_LIST: {
    params: z.object({ workspace: workspaceName.optional() }).strict(),
    result: result<{ keys: KeyInfo[] }>(),
  },
  /** A new key; every other key of the workspace is revoked with it. */
  KEY_ROTATE: {
    params: z.object({ workspace: workspaceName.optional() }).strict(),
    result: result<{ key: string; keyId: string; revoked: string[] }>(),
  },
  KEY_REVOKE: {
    params: z.object({ workspace: workspaceName.optional(), keyId: z.string().max(64) }).strict(),
    result: result<Record<never, never>>(),
  },
  /** A new token for an agent whose token was lost or leaked; its connections are closed. */
  TOKEN_ROTATE: {
    params: z.object({ agent: z.string().max(256), token: z.string().max(256).optional() }).strict(),
    result: result<{ token: string }>(),
  },
  AUDIT: {
    params: z.object({ limit: z.int().min(1).max(1000).default(100) }).strict(),
    result: result<{ entries: AuditEntry[] }>(),
  },
} as const satisfies Record<string, { params: z.ZodType; result: unknown }>;

export type OperationName = keyof typeof OPERATIONS;
/** What a caller writes. */
export type OperationInput<N extends OperationName> = z.input<(typeof OPERATIONS)[N]['params']>;
/** What a handler gets: checked, with defaults filled in. */
export type OperationParams<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['params']>;
export type OperationResult<N extends OperationName> = (typeof OPERATIONS)[N]['result'];

/**
 * Whether a request may simply be sent again when its answer was lost with the connection: it reads, or doing it
 * twice is doing it once. The others fail with `Connection`, because nobody can know whether they happened.
 */
const NOT_REPEATABLE: ReadonlySet<OperationName> = new Set([
  'WORKSPACE_CREATE',
  'KEY_CREATE',
  'KEY_ROTATE',
  'TOKEN_ROTATE',
  'CALL',
  'SPAWN',
]);
export const isRepeatable = (operation: OperationName): boolean => !NOT_REPEATABLE.has(operation);

export const isOperation = (type: string): type is OperationName => Object.hasOwn(OPERATIONS, type);
