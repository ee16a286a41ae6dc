import { z } from 'zod';
import { MAX_TIMEOUT_MS, MAX_TOOLS } from '../vocabulary.ts';
import { clientId, jsonObject, type ToolCaller, toolDefinition } from '../wire/payloads.ts';
import { actionDefinition } from './actions.ts';
import { type Nothing, name, result } from './define.ts';

const progress = {
  progress: z.number(),
  /** The value of `progress` at the end. */
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
    /** Chosen by the caller, for the answers; the callee gets an id from the daemon. */
    callId: clientId.optional(),
    /** Default: 30 seconds, or 5 minutes where a person has to allow the call first. */
    timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).optional(),
    /** The call that this one is made for, which this connection is handling. */
    parent: clientId.optional(),
  })
  .strict();
export type CallPayload = z.input<typeof callPayload>;

/** The progress of a call. */
export interface CallProgress {
  progress: number;
  total?: number;
  message?: string;
}

/** The payload of CALL from the daemon: a call for this connection to handle. */
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
  /** `tool` is an action. */
  action?: true;
  /** The invocation that is to be performed. */
  invocationId?: string;
}

/** The payload of RESULT from the daemon: `id` is the id of the CALL that waits. */
export interface CallResultPayload {
  id: string;
  kind: 'mcp_tool_result';
  callId: string;
  result: unknown;
}

export const callOperations = {
  /** Replaces the tools and actions whose calls this connection handles; they end with the connection. */
  SERVE: {
    params: z
      .object({
        tools: z.array(toolDefinition).max(MAX_TOOLS),
        actions: z.array(actionDefinition).max(MAX_TOOLS).default([]),
      })
      .strict(),
    result: result<Nothing>(),
  },
  /** Calls a tool of an agent or an MCP server; the result follows as a RESULT envelope, or an ERROR. */
  CALL: {
    params: callPayload,
    /** `timeoutMs`: how long it may take. */
    result: result<{ callId: string; timeoutMs: number }>(),
  },
  /** From the callee: the outcome of a call. `open`: the caller was still waiting. */
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
  /** From the callee: the progress of a call. */
  PROGRESS: { params: z.object({ callId: clientId, ...progress }).strict(), result: result<Nothing>() },
} as const;
