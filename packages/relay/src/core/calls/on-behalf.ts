import { RelayError } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Caller } from '../operations/caller.ts';
import type { Principal } from '../principal.ts';

/**
 * The principal an operation is done for: the connection itself, or the caller of a call that it handles. Neither gets the other's
 * rights: for a caller, both must be allowed to do it, and `done` must be in the arguments of the call.
 */
export function principalFor(
  agents: Agents,
  { principal, serving }: Caller,
  callId: string | undefined,
  done: Record<string, unknown>,
): Principal {
  if (callId === undefined) return principal;
  const asked = serving?.askedIn(callId);
  if (!asked) throw new RelayError('InvalidRequest', `This connection handles no call "${callId}".`);
  const { call, origin } = asked;
  const agent = origin.agentId === undefined ? undefined : agents.byId(origin.agentId);
  if (origin.agentId !== undefined && !agent) throw refused(`${call.caller.name} was removed.`);
  for (const [name, value] of Object.entries(done))
    if (isGiven(value) && JSON.stringify(value) !== JSON.stringify(call.arguments[name]))
      throw refused(`The call of ${call.caller.name} does not ask for this ${name}.`);
  return {
    workspace: principal.workspace,
    agent,
    unverified: principal.unverified || origin.unverified,
    local: principal.local && origin.local,
    owner: principal.owner && origin.owner,
    keyId: origin.keyId ?? principal.keyId,
    pageSessionId: undefined,
    through: principal,
  };
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && !(Array.isArray(value) && value.length === 0);

const refused = (message: string): RelayError =>
  new RelayError('Forbidden', message, {
    next: 'Do for a caller what its call asks for, or act under your own name.',
  });
