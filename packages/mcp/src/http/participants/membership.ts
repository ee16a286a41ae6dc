import { AGENT_HEADER } from '@agent-relay/platform/http';
import { nameKey, RelayError } from '@agent-relay/protocol';
import type { Membership } from '../../participant/membership.ts';
import type { Caller } from '../admission/caller.ts';

/**
 * Over HTTP the credential determines the workspace of a client. A session without a name can still take one; it is
 * bound to the key like a name in the header.
 */
export const httpMembership = ({ access, name }: Caller, isSession: boolean): Membership => ({
  async register(participant, registration) {
    const isFixed = !isSession || name !== undefined || access.kind === 'agentToken';
    if (!isFixed) return await participant.register(registration);
    const relay = await participant.relay();
    if (relay.name !== undefined && nameKey(relay.name) === nameKey(registration.name))
      return await participant.register(registration);
    throw new RelayError('Forbidden', 'This client sets its name in a header of each request.', {
      next: `Change the header ${AGENT_HEADER} in the client's configuration.`,
    });
  },
  join: () => Promise.reject(bound('change its workspace')),
  createWorkspace: () => Promise.reject(bound('create workspaces')),
});

const bound = (doing: string): RelayError =>
  new RelayError('Forbidden', `A client over HTTP cannot ${doing}: its key determines its workspace.`, {
    next: 'Use the key of the other workspace as the bearer token, or run: agent-relay workspace create NAME',
  });
