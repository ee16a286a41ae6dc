import { z } from 'zod';
import { clientId, jsonObject, toolDefinition } from '../payloads.ts';
import { type AgentType, MAX_TIMEOUT_MS, MAX_TOOLS } from '../vocabulary.ts';
import { type Nothing, name, result } from './define.ts';

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

const progress = {
  progress: z.number(),
  /** What `progress` is at the end. */
  total: z.number().optional(),
  message: z.string().max(1024).optional(),
};

const callPayload = z
  .object({
    kind: z.literal('mcp_tool_call'),
    /** An agent, or an MCP server of the daemon. */
    server: name,
    tool: z.string().min(1).max(256),
    arguments: jsonObject.default({}),
    /** A name of the caller's own, for the answers; the callee knows the call by an id of the daemon. */
    callId: clientId.optional(),
    timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).default(30_000),
    /** The call that this connection is handling, on whose behalf it calls. */
    parent: clientId.optional(),
  })
  .strict();
export type CallPayload = z.input<typeof callPayload>;

/** How far a call is. */
export interface CallProgress {
  progress: number;
  total?: number;
  message?: string;
}

/** The payload of CALL from the daemon: a call that this connection is to handle. */
export interface ServedCallPayload {
  kind: 'mcp_tool_call';
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  callId: string;
  caller: ToolCaller;
  timeoutMs: number;
  /** 1 for a call that is not part of another one. */
  depth: number;
}

/** The payload of RESULT from the daemon: `id` is the id of the CALL that waits. */
export interface CallResultPayload {
  id: string;
  kind: 'mcp_tool_result';
  callId: string;
  result: unknown;
}

export const callOperations = {
  /** Replaces the tools whose calls this connection handles; they end with the connection. */
  SERVE: {
    params: z.object({ tools: z.array(toolDefinition).max(MAX_TOOLS) }).strict(),
    result: result<Nothing>(),
  },
  /** Calls a tool of an agent or an MCP server; the result follows as a RESULT envelope, or an ERROR. */
  CALL: { params: callPayload, result: result<{ callId: string }>() },
  /** From the callee: how a call ended. `open`: somebody was still waiting for it. */
  RESULT: {
    params: z
      .object({
        kind: z.literal('mcp_tool_result'),
        callId: clientId,
        result: z.unknown().optional(),
        error: z.string().max(4096).optional(),
      })
      .strict(),
    result: result<{ open: boolean }>(),
  },
  /** From the callee: how far a call is. */
  PROGRESS: { params: z.object({ callId: clientId, ...progress }).strict(), result: result<Nothing>() },
} as const;
