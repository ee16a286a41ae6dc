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

/** What a tool may use of the request it serves, beside its arguments. */
export interface Call {
  /** Aborted when the client cancels the call or is gone. */
  readonly signal: AbortSignal;
  /** Tells a client that asked for it how a long call is getting on. */
  progress(progress: number, total: number, message: string): Promise<void>;
  /** Runs an action once the reply was written to the client, or will never be. */
  afterReply(action: (written: boolean) => Promise<void>): void;
  /** The agents that a session may speak for by declaring it; only the `roles` toolset does. */
  readonly roles: Roles;
  readonly membership: Membership;
  readonly mcp: ServerContext;
}

/** One tool: everything a client is told about it, and what it does. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  description: string;
  input: Input;
  annotations?: ToolAnnotations;
  /** Shows the inbox itself, so that its result needs no hint about unread messages. */
  showsInbox?: true;
  handler(
    participant: Participant,
    args: z.output<Input>,
    call: Call,
  ): CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;
}

/** Keeps the arguments of the handler typed by the schema, and forgets the type outside. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool as unknown as Tool;

/** A result: the sentences for the model, and the same as data for programs. */
export const reply = (text: string | string[], data: Record<string, unknown>): CallToolResult => ({
  content: [text].flat().map((line) => ({ type: 'text', text: line })),
  structuredContent: data,
});

/** A result whose text is its data as JSON; an array is data too, under the name it is given. */
export const replyJson = (data: Record<string, unknown>, shown: unknown = data): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(shown) }],
  structuredContent: data,
});
