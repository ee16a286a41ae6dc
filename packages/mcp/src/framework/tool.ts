import type { RelayError } from '@agent-relay/sdk';
import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Membership } from '../participant/membership.ts';
import type { Participant } from '../participant/participant.ts';
import type { Roles } from '../participant/roles.ts';
import type { ReplyWatch } from '../participant/unread-mail.ts';

/** What a tool can use of the request, in addition to its arguments. */
export interface Call extends ReplyWatch {
  /** Aborted when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Reports progress of a long call to a client that asked for it. */
  progress(progress: number, total: number, message: string): Promise<void>;
  /** The error for the model, for a tool that reports it in its result. */
  explained(error: RelayError): RelayError;
  /** The agents that a session may act for by declaration; only for the `roles` toolset. */
  readonly roles: Roles;
  readonly membership: Membership;
  readonly mcp: ServerContext;
  /** What agents inherit that are spawned from here; absent where the session is not on the daemon's machine. */
  readonly environment?: Record<string, string>;
}

/** One tool: its description for clients, and its handler. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  description: string;
  input: Input;
  annotations: ToolAnnotations;
  /** Shows the inbox itself, so that its result needs no hint about unread messages. */
  showsInbox?: true;
  /** Its result may be long: a client gets only a few of them at once. */
  isLong?: true;
  /** What the text of its failures begins with, instead of `Error`. */
  failed?: string;
  /** Its result contains the name of the session. */
  tellsName?: true;
  handler(
    participant: Participant,
    args: z.output<Input>,
    call: Call,
  ): CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;
}

/** For clients that ask before a call: the tool is read-only. */
export const LOOKS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** It changes something, but deletes nothing. */
export const ACTS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
/** The same, and idempotent. */
export const ACTS_ONCE: ToolAnnotations = { ...ACTS, idempotentHint: true };

/** It starts a program or calls a tool of somebody else, which may do anything. */
export const RUNS: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };

/** Types the handler's arguments by the schema, and erases the type outside. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool as unknown as Tool;
