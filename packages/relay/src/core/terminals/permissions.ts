import { type AgentGrant, RelayError } from '@agent-relay/protocol';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import { isUsersOwn, type Principal } from '../principal.ts';

/** The owner, or a person of the project; not a person for whom a program acts. */
export const isPerson = ({ agent, local, owner, unverified, through }: Principal): boolean =>
  (owner || (local && !unverified && agent?.type === 'human')) &&
  (through === undefined || isPerson(through));

/** Whether the owner allowed it; where a program acts for an agent, both need to be allowed. */
const isGranted = ({ agent, unverified }: Principal, grant: AgentGrant): boolean =>
  agent?.grants.includes(grant) === true && !unverified;

const maySpawn = (principal: Principal): boolean =>
  ((isUsersOwn(principal) && !principal.unverified) || isGranted(principal, 'spawn')) &&
  (principal.through === undefined || maySpawn(principal.through));

export const mayView = (principal: Principal): boolean =>
  isPerson(principal) ||
  (isGranted(principal, 'terminal') && (principal.through === undefined || mayView(principal.through)));

/** Programs are started on this machine: by clients on it, and by others that the owner allowed to. */
export function requireMaySpawn(principal: Principal): void {
  if (maySpawn(principal)) return;
  throw new RelayError('Forbidden', "Only people and agents on the daemon's machine may spawn agents.", {
    next: `Ask the user to allow it: agent-relay agent set ${principal.agent?.name ?? 'NAME'} --grant spawn`,
  });
}

/** A terminal shows everything its agent sees, and typing in it is acting as the agent. */
export function requireMayView(principal: Principal, agent: Agent): void {
  if (mayView(principal)) return;
  const name = principal.agent?.name ?? 'NAME';
  throw new RelayError(
    'Forbidden',
    `Only people on the daemon's machine may see the terminal of ${agent.name}.`,
    { next: `Ask your user to look at it, or to allow it: agent-relay agent set ${name} --grant terminal` },
  );
}

/** Only the agent itself and people choose when it gets its messages. */
export function requireMayDirect(principal: Principal, agent: Agent): void {
  if (isPerson(principal)) return;
  if (principal.agent?.id === agent.id && !principal.unverified) return;
  throw new RelayError('Forbidden', `Only ${agent.name} and people choose when it gets its messages.`, {
    next: `Ask a person: agent-relay attention <when> ${agent.name}`,
  });
}

/** Its parent, the owner or a person. */
export function requireMayRelease(principal: Principal, agent: Agent, run: Run): void {
  if (isPerson(principal)) return;
  const isParent = principal.agent !== undefined && run.parentId === principal.agent.id;
  if (isParent && !principal.unverified) return;
  throw new RelayError('Forbidden', `${agent.name} does not work for you.`, {
    next: `Ask the agent it works for, or a person: agent-relay release ${agent.name}`,
  });
}
