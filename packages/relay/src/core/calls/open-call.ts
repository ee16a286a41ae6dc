import type { CallEnd, CallProgress, RelayError, ServedCallPayload, ToolCaller } from '@agent-relay/protocol';
import type { Caller } from '../operations/caller.ts';
import type { CallOrigin } from '../ports/bus.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Principal } from '../principal.ts';
import type { Target } from './targets.ts';

/** Follows a call; gets its end once, by `finish` or `fail`. */
export interface CallWaiter {
  progress(progress: CallProgress): void;
  finish(result: unknown): void;
  fail(error: RelayError): void;
}

/** The target, caller and arguments of a call. */
export interface CallOrder {
  /** Unique; the callee knows the call by it. */
  readonly id: string;
  readonly principal: Principal;
  readonly caller: ToolCaller;
  readonly target: Target;
  readonly args: Record<string, unknown>;
  readonly timeoutMs: number;
  readonly depth: number;
  /** The invocation it performs. */
  readonly invocationId?: string;
}

/** Why an answer is no longer needed. */
export type QuestionEnd = CallEnd | 'callee_gone';

/** A call that a client of this daemon waits for. */
export interface OpenCall extends CallOrder {
  readonly waiter: CallWaiter;
  /** The person whose consent it waits for. */
  waitsFor?: Agent;
  /** The message in which that person was asked. */
  question?: string;
  /** That person allowed it. */
  isAllowed?: true;
  /** Releases its quota and its timer. */
  close: () => void;
  /** Notifies the callee, or the person who is asked, that no answer is needed. */
  stop: (reason: QuestionEnd) => void;
}

export function callerOf({ principal, clientSession }: Caller): ToolCaller {
  const { agent, keyId, unverified } = principal;
  if (!agent && keyId !== undefined) return { type: 'agent', id: `key ${keyId}`, name: `key ${keyId}` };
  if (!agent) return { type: 'human', id: 'owner', name: 'owner' };
  return {
    type: agent.type,
    id: String(agent.id),
    name: agent.name,
    ...(agent.handle === undefined ? {} : { handle: agent.handle }),
    ...(clientSession === undefined ? {} : { sessionId: clientSession }),
    ...(unverified ? { unverified } : {}),
  };
}

export const originOf = ({ principal }: CallOrder): CallOrigin => {
  const { agent, keyId, unverified, local, owner } = principal;
  return { agentId: agent?.id, keyId, unverified, local, owner };
};

/** The call as its callee gets it. */
export const servedCall = (
  { id, caller, args, timeoutMs, depth, invocationId }: CallOrder,
  { callee, tool, isAction }: Extract<Target, { kind: 'served' }>,
): ServedCallPayload => ({
  kind: 'mcp_tool_call',
  server: callee.name,
  tool: tool.definition.name,
  arguments: args,
  callId: id,
  caller,
  timeoutMs,
  depth,
  ...(isAction ? { action: true } : {}),
  ...(invocationId === undefined ? {} : { invocationId }),
});

/** `Name.tool`, or the name of an action, for people. */
export function titleOf(target: Target): string {
  if (target.kind === 'backend') return `${target.server}.${target.tool}`;
  const { name } = target.tool.definition;
  return target.kind === 'served' && target.isAction ? name : `${target.callee.name}.${name}`;
}
