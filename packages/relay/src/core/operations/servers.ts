import { RelayError, type ServerInfo } from '@agent-relay/protocol';
import type { BackendManager } from '../ports/backends.ts';
import { type Principal, requireOwner } from '../principal.ts';
import { pageByPlace } from '../reading/page.ts';
import type { Relay } from '../relay.ts';
import type { Handlers } from './caller.ts';

type Names =
  | 'SERVERS'
  | 'SERVER_TOOLS'
  | 'SERVER_ADD'
  | 'SERVER_REMOVE'
  | 'SERVER_RECONNECT'
  | 'SERVER_APPROVE';

/** The MCP servers of the daemon, for its owner. */
export function serverHandlers({ targets, workspaces }: Relay): Handlers<Names> {
  const infoOf = (name: string): ServerInfo => {
    const found = targets.backends.list().servers.find((server) => server.name === name);
    if (found) return found;
    throw new RelayError('BackendNotFound', `No server is named '${name}'.`);
  };

  const managerFor = (principal: Principal): BackendManager => {
    requireOwner(principal, 'manage MCP servers');
    const { manager } = targets.backends;
    if (manager) return manager;
    throw new RelayError('Forbidden', 'Managing servers is disabled (manageServers is "nobody").', {
      next: 'Edit the file that lists the servers, or set mcp.manageServers in settings.json.',
    });
  };

  const audit = (principal: Principal, action: string, subject: string, detail: Record<string, unknown>) =>
    workspaces.audit(principal, principal.workspace, `server.${action}`, subject, detail);

  return {
    SERVERS: ({ principal }) => {
      requireOwner(principal, 'see the MCP servers');
      return { ...targets.backends.list(), manageable: targets.backends.manager !== undefined };
    },
    SERVER_TOOLS: ({ principal }, { server, cursor }) => {
      requireOwner(principal, 'see the MCP servers');
      const { items, ...more } = pageByPlace(targets.backends.tools(infoOf(server).name), cursor);
      return { tools: items, ...more };
    },
    SERVER_ADD: async ({ principal }, { server, url }) => {
      await managerFor(principal).add(server, url);
      const added = infoOf(server);
      await audit(principal, 'added', server, { url: added.address });
      return { server: added };
    },
    SERVER_REMOVE: async ({ principal }, { server }) => {
      const manager = managerFor(principal);
      const { address } = infoOf(server);
      await manager.remove(server);
      await audit(principal, 'removed', server, { url: address });
      return {};
    },
    SERVER_RECONNECT: async ({ principal }, { server }) => {
      await managerFor(principal).reconnect(server);
      await audit(principal, 'reconnected', server, {});
      return { server: infoOf(server) };
    },
    SERVER_APPROVE: async ({ principal }, { server, tool, digest }) => {
      requireOwner(principal, 'approve tools');
      await targets.backends.approve(server, tool, digest);
      await audit(principal, 'tool_approved', `${server}.${tool}`, { digest });
      return {};
    },
  };
}
