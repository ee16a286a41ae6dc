import { type OperationResult, type Relay, RelayError } from '@agent-relay/sdk';
import type { Environment } from '@agent-relay/sdk/node';
import { environmentProfile, localConnect, workspaceConnect } from './identity.ts';
import type { Participant } from './participant.ts';

/** How a session moves between workspaces, as far as its door lets it. */
export interface Workspaces {
  /** Creates a workspace of the daemon's owner. */
  create(name: string): Promise<OperationResult<'WORKSPACE_CREATE'>>;
  /** Takes the participant to the workspace of a key. */
  join(participant: Participant, workspaceKey: string): Promise<Relay>;
}

/** For a server that runs as the user: it may do what the user may. */
export const localWorkspaces = (env: Environment): Workspaces => ({
  async create(name) {
    await using owner = await localConnect(env)({ reconnect: false });
    return await owner.request('WORKSPACE_CREATE', { name });
  },
  async join(participant, workspaceKey) {
    const url = env.RELAY_URL ?? (await daemonUrl(participant));
    return await participant.become(environmentProfile(env), workspaceConnect(env, workspaceKey, url));
  },
});

/** A daemon that is reached by its socket knows where it serves keys; without one the usual place has to do. */
async function daemonUrl(participant: Participant): Promise<string | undefined> {
  const relay = await participant.relay().catch((error) => {
    if (error instanceof RelayError) return undefined;
    throw error;
  });
  return relay && (await relay.status()).http;
}

/** For a door where the credential of each request decides: a session cannot leave its workspace. */
export const fixedWorkspace: Workspaces = {
  create: () => Promise.reject(elsewhere('create workspaces')),
  join: () => Promise.reject(elsewhere('change the workspace')),
};

const elsewhere = (doing: string): RelayError =>
  new RelayError('Forbidden', `This connection cannot ${doing}: its credential decides where it is.`, {
    next: 'Connect with the other key as the bearer, or run: agent-relay workspace create NAME',
  });
