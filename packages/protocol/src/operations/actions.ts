import { z } from 'zod';
import { ACTION_NAME_RULE, isActionName } from '../names/names.ts';
import { MAX_TIMEOUT_MS } from '../vocabulary.ts';
import { clientId, type InvocationInfo, jsonObject, toolDefinition } from '../wire/payloads.ts';
import { cursor, result } from './define.ts';

/** An action that an agent performs for others: a tool with a name of its own in the project. */
export const actionDefinition = toolDefinition.extend({
  name: z.string().refine(isActionName, {
    error: ({ input }) => `${JSON.stringify(input).slice(0, 100)} ${ACTION_NAME_RULE}`,
  }),
  /** Who may invoke it: names, `#channel`, `lead`, `human`; without it, everybody in the project. */
  availableTo: z.array(z.string().min(1).max(256)).max(100).optional(),
});
export type ActionDefinition = z.infer<typeof actionDefinition>;

/** An action as others see it. */
export interface ActionInfo extends ActionDefinition {
  /** The agent that performs it. */
  owner: string;
  /** The names in `availableTo` that no agent and no channel has. */
  unknown?: string[];
}

export const actionOperations = {
  /** The actions that the asking agent may invoke. */
  ACTIONS: {
    params: z.object({ cursor: cursor.optional() }).strict(),
    result: result<{ actions: ActionInfo[]; next?: string }>(),
  },
  /** Invokes an action, or a tool as `Agent.tool`; answered when it is on disk, before it is performed. */
  INVOKE: {
    params: z
      .object({
        name: z.string().min(1).max(256),
        input: jsonObject.default({}),
        /** Identifies the invocation for retries: the same id is the same invocation. */
        invocationId: clientId.optional(),
        /** Its end follows as a RESULT envelope. */
        wait: z.boolean().default(false),
        /** How long to wait; the invocation continues after that. Default: as for CALL. */
        timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).optional(),
        /** The call that this connection handles, on whose behalf it invokes. */
        parent: clientId.optional(),
      })
      .strict(),
    /** `timeoutMs`: how long its end is waited for. */
    result: result<{ invocation: InvocationInfo; timeoutMs?: number }>(),
  },
  /** One invocation, for its caller, its performer and the owner. */
  INVOCATION: {
    params: z.object({ invocationId: clientId }).strict(),
    result: result<{ invocation: InvocationInfo }>(),
  },
  /** The latest invocations that the asking agent made or performed (the owner sees all), newest first. */
  INVOCATIONS: {
    params: z.object({ limit: z.int().min(1).max(100).default(20) }).strict(),
    result: result<{ invocations: InvocationInfo[] }>(),
  },
} as const;
