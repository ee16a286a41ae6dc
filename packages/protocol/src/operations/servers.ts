import { z } from 'zod';
import { cursor, type Nothing, none, result } from './define.ts';
import type { McpServerStatus } from './workspaces.ts';

/** An MCP server of the daemon, for its owner. */
export interface ServerInfo extends McpServerStatus {
  /** Its URL or program, with credentials masked. */
  address: string;
  /** The tools that are left out, and why. */
  invalid?: Array<{ name: string; reason: string }>;
  /** The tools whose definition changed since it was approved. */
  changed?: string[];
}

/** A tool of an MCP server, by the name the server gives it. */
export interface ServerTool {
  name: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  /** Why it cannot be called. */
  problem?: string;
  /** Its definition changed since it was approved; to approve this one, say its digest. */
  digest?: string;
  /** All that is approved with the digest: annotations and output schema, too. */
  definition?: Record<string, unknown>;
}

const server = z.string().min(1).max(256);

/** The MCP servers of the daemon. All of these are for the owner. */
export const serverOperations = {
  /** `manageable`: the settings allow adding, removing and reconnecting servers. */
  SERVERS: {
    params: none,
    result: result<{ servers: ServerInfo[]; error?: string; manageable: boolean }>(),
  },
  SERVER_TOOLS: {
    params: z.object({ server, cursor: cursor.optional() }).strict(),
    result: result<{ tools: ServerTool[]; next?: string }>(),
  },
  /** Adds a server by its URL, saves that and connects. */
  SERVER_ADD: {
    params: z.object({ server, url: z.string().min(1).max(2048) }).strict(),
    result: result<{ server: ServerInfo }>(),
  },
  SERVER_REMOVE: { params: z.object({ server }).strict(), result: result<Nothing>() },
  /** Closes the connection and opens it again; answered when that succeeded or failed. */
  SERVER_RECONNECT: { params: z.object({ server }).strict(), result: result<{ server: ServerInfo }>() },
  /** Approves the changed definition of a tool that has this digest. */
  SERVER_APPROVE: {
    params: z
      .object({ server, tool: z.string().min(1).max(256), digest: z.string().min(1).max(256) })
      .strict(),
    result: result<Nothing>(),
  },
} as const;
