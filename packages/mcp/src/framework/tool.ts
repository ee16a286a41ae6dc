import type { RelayError } from '@agent-relay/sdk';
import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Membership } from '../participant/membership.ts';
import type { Participant, ReplyWatch } from '../participant/participant.ts';
import type { Roles } from '../participant/roles.ts';

/** What a tool may use of the request it serves, beside its arguments. */
export interface Call extends ReplyWatch {
  /** Aborted when the client cancels the call or is gone. */
  readonly signal: AbortSignal;
  /** Tells a client that asked for it how a long call is getting on. */
  progress(progress: number, total: number, message: string): Promise<void>;
  /** The error as the model is to get it, for a tool that reports it within its result. */
  explained(error: RelayError): RelayError;
  /** The agents that a session may speak for by declaring it; only the `roles` toolset does. */
  readonly roles: Roles;
  readonly membership: Membership;
  readonly mcp: ServerContext;
  /** What agents inherit that are spawned from here; absent where the session is not on the daemon's machine. */
  readonly environment?: Record<string, string>;
}

/** One tool: everything a client is told about it, and what it does. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  description: string;
  input: Input;
  annotations: ToolAnnotations;
  /** Shows the inbox itself, so that its result needs no hint about unread messages. */
  showsInbox?: true;
  /** Its result says what the session is called. */
  tellsName?: true;
  handler(
    participant: Participant,
    args: z.output<Input>,
    call: Call,
  ): CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;
}

/** What a client may tell its user before a call: the tool only looks. */
export const LOOKS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** It does something, and nothing that was there is lost by it. */
export const ACTS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
/** The same, and doing it twice is doing it once. */
export const ACTS_ONCE: ToolAnnotations = { ...ACTS, idempotentHint: true };

/** Keeps the arguments of the handler typed by the schema, and forgets the type outside. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool as unknown as Tool;
