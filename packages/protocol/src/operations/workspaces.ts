import { z } from 'zod';
import type { ErrorPayload } from '../errors.ts';
import { type TransferRecord, transferRecord } from '../messages/transfer.ts';
import { type Nothing, name, none, result } from './define.ts';

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
  startedAt: number;
  database: string;
  project: string;
  agent?: string;
  unread?: number;
  /** The rest is for local users only. */
  pid?: number;
  socketPath?: string;
  /** The directory the project was created for; absent if it has none. */
  root?: string;
  connections?: number;
  agentsOnline?: number;
  /** Where WebSocket, health and metrics are served; absent if turned off. */
  http?: string;
  /** Where MCP is served over HTTP; absent when it is not. */
  mcp?: string;
  /** The agent CLIs that SPAWN knows; `installed`: its program was found. */
  clis?: Array<{ name: string; installed: boolean }>;
  /** The MCP servers behind the daemon's gateway; absent if it has none. */
  servers?: McpServerStatus[];
  /** Why the files on disk that list those are not applied; absent if they are. */
  serversError?: string;
  /** The projects whose local socket cannot be opened, and why; absent if there are none. */
  unserved?: Array<{ project: string; error: ErrorPayload }>;
}

/** What the daemon was started with besides its flags, for a restart. It contains secrets. */
export interface DaemonStart {
  /** The directory whose project it opened. */
  directory: string;
  /** The name that this project was given. */
  project?: string;
  /** The variables for it that were set; paths are absolute. */
  variables: Record<string, string>;
}

export interface McpServerStatus {
  name: string;
  health: 'healthy' | 'degraded' | 'failed' | 'connecting' | 'unknown';
  /** How many of its tools are available. */
  tools: number;
  error?: string;
}

const ofWorkspace = z.object({ workspace: name.optional() }).strict();

export const workspaceOperations = {
  STATUS: { params: none, result: result<DaemonStatus>() },
  STARTED_WITH: { params: none, result: result<DaemonStart>() },
  WORKSPACE_CREATE: {
    params: z.object({ name }).strict(),
    result: result<{ name: string; key: string; keyId: string; socketPath?: string }>(),
  },
  WORKSPACE_LIST: { params: none, result: result<{ workspaces: WorkspaceInfo[] }>() },
  WORKSPACE_RENAME: {
    params: z.object({ workspace: name, name }).strict(),
    /** `root`: the directory the workspace was created for. */
    result: result<{ name: string; socketPath: string; root?: string }>(),
  },
  /** Deletes a workspace with everything in it. */
  WORKSPACE_REMOVE: { params: z.object({ workspace: name }).strict(), result: result<Nothing>() },
  /** Opens the project of a directory, creating it under its base name (made unique) the first time. */
  PROJECT_OPEN: {
    params: z.object({ root: z.string().min(1).max(4096), name: name.optional() }).strict(),
    result: result<{ project: string; socketPath: string; created: boolean }>(),
  },
  KEY_CREATE: { params: ofWorkspace, result: result<{ key: string; keyId: string }>() },
  KEY_LIST: { params: ofWorkspace, result: result<{ keys: KeyInfo[] }>() },
  /** Creates a key and revokes all others of the workspace. */
  KEY_ROTATE: { params: ofWorkspace, result: result<{ key: string; keyId: string; revoked: string[] }>() },
  KEY_REVOKE: {
    params: z.object({ workspace: name.optional(), keyId: z.string().max(64) }).strict(),
    result: result<Nothing>(),
  },
  /** A page of everything in the workspace, for its owner; `next` is the cursor of the next page. */
  EXPORT: {
    params: z.object({ cursor: z.string().max(4096).optional() }).strict(),
    result: result<{ records: TransferRecord[]; next?: string }>(),
  },
  /** Adds the records of an export, in order. Existing records stay, so it may be repeated. */
  IMPORT: {
    params: z.object({ records: z.array(transferRecord).min(1).max(1000) }).strict(),
    result: result<{ added: number; present: number; elsewhere: number }>(),
  },
  AUDIT: {
    params: z.object({ limit: z.int().min(1).max(1000).default(100) }).strict(),
    result: result<{ entries: AuditEntry[] }>(),
  },
} as const;
