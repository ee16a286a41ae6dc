import type { OperationResult, ParticipantOptions, Relay } from '@agent-relay/sdk';
import type { Environment } from '@agent-relay/sdk/node';
import { daemonConnect, environmentProfile, workspaceConnect } from './identity.ts';
import type { Participant } from './participant.ts';

/** An agent that registers: its name and profile. */
type Registration = ParticipantOptions & { name: string };

/** How a session changes its name or workspace, as far as its door allows. */
export interface Membership {
  /** Registers the participant under that name. */
  register(participant: Participant, registration: Registration): Promise<Relay>;
  /** Moves the participant to the workspace of a key. */
  join(participant: Participant, workspaceKey: string): Promise<Relay>;
  /** Creates a workspace, for the owner of the daemon. */
  createWorkspace(name: string): Promise<OperationResult<'WORKSPACE_CREATE'>>;
}

/** For a server that runs as the user, with the user's rights. */
export function localMembership(env: Environment): Membership {
  return {
    register: (participant, registration) => participant.register(registration),
    join: (participant, workspaceKey) =>
      participant.become(environmentProfile(env), workspaceConnect(env, workspaceKey)),
    async createWorkspace(name) {
      await using owner = await daemonConnect(env)({ reconnect: false });
      return await owner.request('WORKSPACE_CREATE', { name });
    },
  };
}
