import { type OperationResult, type ParticipantOptions, type Relay, RelayError } from '@agent-relay/sdk';
import type { Environment } from '@agent-relay/sdk/node';
import { environmentProfile, localConnect, workspaceConnect } from './identity.ts';
import type { Participant } from './participant.ts';

/** An agent that registers: its name, and what it says about itself. */
type Registration = ParticipantOptions & { name: string };

/** How a session changes who or where it is, as far as its door lets it. */
export interface Membership {
  /** Makes the participant the agent of that name. */
  register(participant: Participant, registration: Registration): Promise<Relay>;
  /** Takes the participant to the workspace of a key. */
  join(participant: Participant, workspaceKey: string): Promise<Relay>;
  /** Creates a workspace, for the owner of the daemon. */
  createWorkspace(name: string): Promise<OperationResult<'WORKSPACE_CREATE'>>;
}

/** For a server that runs as the user: it may do what the user may. */
export function localMembership(env: Environment): Membership {
  let url = env.RELAY_URL;
  return {
    register: (participant, registration) => participant.register(registration),
    async join(participant, workspaceKey) {
      // Asked once: over a key, the daemon may not tell.
      url ??= await daemonUrl(participant);
      return await participant.become(environmentProfile(env), workspaceConnect(env, workspaceKey, url));
    },
    async createWorkspace(name) {
      await using owner = await localConnect(env)({ reconnect: false });
      return await owner.request('WORKSPACE_CREATE', { name });
    },
  };
}

/** A daemon that is reached by its socket knows where it serves keys; without one the usual place has to do. */
async function daemonUrl(participant: Participant): Promise<string | undefined> {
  const relay = await participant.relay().catch((error) => {
    if (error instanceof RelayError) return undefined;
    throw error;
  });
  return relay && (await relay.status()).http;
}
