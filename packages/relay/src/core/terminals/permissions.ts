import { RelayError } from '@agent-relay/protocol';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import { isUsersOwn, type Principal } from '../principal.ts';

/** The owner, or a person of the project; not a person for whom a program acts. */
export const isPerson = ({ agent, local, owner, unverified, through }: Principal): boolean =>
  (owner || (local && !unverified && agent?.type === 'human')) &&
  (through === undefined || isPerson(through));

/** Programs are started on this machine, so only clients on it may start one. */
export function requireMaySpawn(principal: Principal): void {
  if (isUsersOwn(principal) && !principal.unverified) return;
  throw new RelayError('Forbidden', 'Only people and agents on the machine of the daemon may spawn agents.', {
    next: 'Ask an agent on that machine to spawn it, or its user: agent-relay spawn NAME CLI TASK',
  });
}

/** A terminal shows everything its agent sees, and whoever types in it is its agent. */
export function requireMayView(principal: Principal, agent: Agent): void {
  if (isPerson(principal)) return;
  throw new RelayError(
    'Forbidden',
    `Only people on the daemon's machine may see the terminal of ${agent.name}.`,
    {
      next: `Ask your user to look at it: agent-relay attach ${agent.name}`,
    },
  );
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
