import { RelayError } from '@agent-relay/protocol';
import type { Host } from '../ports/host.ts';
import { requireOwner } from '../principal.ts';
import type { Relay } from '../relay.ts';
import type { Handlers } from './caller.ts';

type Names = 'PAGE_LINK' | 'PAGE_SESSIONS' | 'PAGE_SESSION_REVOKE';

export function dashboardHandlers({ pageSessions }: Relay, host: Host): Handlers<Names> {
  return {
    PAGE_LINK: async ({ principal }) => {
      requireOwner(principal, 'open the dashboard');
      const page = host.page();
      if (page === undefined) {
        throw new RelayError('InvalidRequest', 'This daemon serves no dashboard.', {
          next: 'Set http.enabled to true in settings.json, and restart the daemon: agent-relay restart',
        });
      }
      const { code, expiresAt } = await pageSessions.link(principal);
      return { url: `${page}/#code=${code}`, expiresAt };
    },
    PAGE_SESSIONS: async ({ principal }) => {
      requireOwner(principal, 'see who is signed in to the dashboard');
      return { sessions: await pageSessions.list() };
    },
    PAGE_SESSION_REVOKE: async ({ principal }, which) => {
      requireOwner(principal, 'sign browsers out of the dashboard');
      return { revoked: await pageSessions.revoke(principal, which) };
    },
  };
}
