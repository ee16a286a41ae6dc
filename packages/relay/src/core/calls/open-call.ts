import type { CallEnd, OperationParams, ServedCallPayload, ToolCaller } from '@agent-relay/protocol';
import type { Caller, Ongoing } from '../operations/caller.ts';
import type { Principal } from '../principal.ts';
import type { Target } from './targets.ts';

/** A call that a client of this daemon waits for. */
export interface OpenCall {
  /** Unique; the callee knows the call by it. */
  readonly id: string;
  readonly requestId: string;
  readonly principal: Principal;
  readonly caller: ToolCaller;
  readonly params: OperationParams<'CALL'>;
  readonly depth: number;
  readonly target: Target;
  readonly ongoing: Ongoing;
  /** The person whose consent it waits for. */
  waitsFor?: string;
  /** Takes back what it counts for, and its timer. */
  close: () => void;
  /** Tells whoever works on it that nobody waits any more. */
  stop: (reason: CallEnd) => void;
}

/** One more than the call on whose behalf it is made. A connection that does not say which: than any it handles. */
export function depthOf({ serving }: Caller, parent: string | undefined): number {
  if (!serving) return 1;
  const known = parent === undefined ? undefined : serving.depthOf(parent);
  if (known !== undefined) return known + 1;
  let deepest = 0;
  for (const { depth } of serving.openCalls) deepest = Math.max(deepest, depth);
  return deepest + 1;
}

export function callerOf({ principal, session }: Caller): ToolCaller {
  const { agent, keyId, unverified } = principal;
  if (!agent && keyId !== undefined) return { type: 'agent', id: `key ${keyId}`, name: `key ${keyId}` };
  if (!agent) return { type: 'human', id: 'owner', name: 'owner' };
  return {
    type: agent.type,
    id: String(agent.id),
    name: agent.name,
    ...(agent.handle === undefined ? {} : { handle: agent.handle }),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(unverified ? { unverified } : {}),
  };
}

/** The call as its callee gets it. */
export const servedCall = ({ id, caller, params, depth }: OpenCall, server: string): ServedCallPayload => ({
  kind: 'mcp_tool_call',
  server,
  tool: params.tool,
  arguments: params.arguments,
  callId: id,
  caller,
  timeoutMs: params.timeoutMs,
  depth,
});

/** `Name.tool`, for people. */
export const titleOf = (target: Target): string =>
  target.kind === 'backend'
    ? `${target.server}.${target.tool}`
    : `${target.callee.name}.${target.tool.definition.name}`;
