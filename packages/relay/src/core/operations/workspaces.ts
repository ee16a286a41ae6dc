import type { Host } from '../ports/host.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { isUsersOwn, type Principal, requireOwner } from '../principal.ts';
import { countUnread } from '../reading/reading.ts';
import type { Relay } from '../relay.ts';
import type { Handlers } from './caller.ts';

type Names =
  | 'STATUS'
  | 'STARTED_WITH'
  | 'WORKSPACE_CREATE'
  | 'WORKSPACE_LIST'
  | 'WORKSPACE_RENAME'
  | 'WORKSPACE_REMOVE'
  | 'PROJECT_OPEN'
  | 'KEY_CREATE'
  | 'KEY_LIST'
  | 'KEY_ROTATE'
  | 'KEY_REVOKE'
  | 'EXPORT'
  | 'IMPORT'
  | 'AUDIT';

/** Maximum records per answer; fewer if they are large. */
const EXPORT_PAGE = 500;

export function workspaceHandlers(relay: Relay, host: Host): Handlers<Names> {
  const { bus, clock, presence, store, workspaces } = relay;

  const administered = (principal: Principal, name: string | undefined, doing: string): Workspace => {
    requireOwner(principal, doing);
    return name === undefined ? principal.workspace : workspaces.get(name);
  };

  const endKeys = ({ id: workspaceId }: Workspace, keyIds: string[]) =>
    presence.end({ kind: 'keys', workspaceId, keyIds });

  return {
    STATUS: async ({ principal }) => {
      const { agent, workspace } = principal;
      const local = isUsersOwn(principal);
      const { version, startedAt, unserved = [], ...process } = host.status();
      const socketPath = local ? host.socketPath(workspace) : undefined;
      return {
        version,
        startedAt,
        // Remote users do not see facts about the machine and its other projects.
        ...(local ? { ...process, ...presence.count(), clis: await relay.terminals.clis() } : {}),
        ...(local && unserved.length > 0 ? { unserved } : {}),
        database: store.kind,
        project: workspace.name,
        ...(socketPath === undefined ? {} : { socketPath }),
        ...(local && workspace.root !== undefined ? { root: workspace.root } : {}),
        ...(agent ? { agent: agent.name, unread: await countUnread(relay, agent.id) } : {}),
      };
    },
    STARTED_WITH: async ({ principal }) => {
      // It has the secrets of the daemon: not for a page.
      requireOwner({ ...principal, owner: principal.owner && principal.local }, 'restart the daemon');
      return host.startedWith();
    },
    WORKSPACE_CREATE: async ({ principal }, { name }) => {
      requireOwner(principal, 'create workspaces');
      const workspace = await relay.createWorkspace(name);
      await workspaces.audit(principal, workspace, 'workspace.created', workspace.name);
      const { key, keyId } = await workspaces.createKey(principal, workspace);
      return { name: workspace.name, key, keyId, socketPath: await host.openSocket(workspace) };
    },
    WORKSPACE_LIST: async ({ principal }) => {
      requireOwner(principal, 'list workspaces');
      const counts = new Map((await store.countAgents()).map((count) => [count.workspaceId, count.agents]));
      return {
        workspaces: workspaces.list().map((workspace) => {
          const socketPath = host.socketPath(workspace);
          return {
            name: workspace.name,
            createdAt: workspace.createdAt,
            agents: counts.get(workspace.id) ?? 0,
            ...(socketPath === undefined ? {} : { socketPath }),
          };
        }),
      };
    },
    WORKSPACE_RENAME: async ({ principal }, { workspace: before, name }) => {
      const workspace = administered(principal, before, 'rename workspaces');
      await workspaces.rename(principal, workspace, name);
      const { root } = workspace;
      return {
        name,
        socketPath: await host.openSocket(workspace),
        ...(root === undefined ? {} : { root }),
      };
    },
    WORKSPACE_REMOVE: async ({ principal }, { workspace: name }) => {
      const workspace = administered(principal, name, 'remove workspaces');
      const all = { kind: 'workspace', workspaceId: workspace.id } as const;
      presence.end({ ...all, who: 'agents' });
      await relay.removeWorkspace(workspace);
      // Its own audit log can no longer be read: record it in another workspace.
      const [keeper] = workspace.id === principal.workspace.id ? workspaces.list() : [principal.workspace];
      if (keeper) await workspaces.audit(principal, keeper, 'workspace.removed', workspace.name);
      await host.forget(workspace);
      // Deferred, because the answer may have to go through one of them.
      clock.after(0, () => presence.end({ ...all, who: 'everybody' }));
      return {};
    },
    PROJECT_OPEN: async ({ principal }, { root, name }) => {
      requireOwner(principal, 'open projects');
      const { workspace, created } = await relay.openProject(root, name);
      if (created) await workspaces.audit(principal, workspace, 'workspace.created', workspace.name);
      return { project: workspace.name, socketPath: await host.openSocket(workspace), created };
    },
    KEY_CREATE: ({ principal }, params) =>
      workspaces.createKey(principal, administered(principal, params.workspace, 'create keys')),
    KEY_LIST: async ({ principal }, params) => ({
      keys: await workspaces.listKeys(administered(principal, params.workspace, 'list keys')),
    }),
    KEY_ROTATE: async ({ principal }, params) => {
      const workspace = administered(principal, params.workspace, 'rotate keys');
      const rotated = await workspaces.rotateKey(principal, workspace);
      endKeys(workspace, rotated.revoked);
      return rotated;
    },
    KEY_REVOKE: async ({ principal }, params) => {
      const workspace = administered(principal, params.workspace, 'revoke keys');
      endKeys(workspace, await workspaces.revokeKey(principal, workspace, params.keyId));
      return {};
    },
    EXPORT: async ({ principal }, { cursor }) => {
      requireOwner(principal, 'export the workspace');
      const { records, next } = await store.exportPage(principal.workspace.id, cursor, EXPORT_PAGE);
      return { records, ...(next === undefined ? {} : { next }) };
    },
    IMPORT: async ({ principal }, { records }) => {
      requireOwner(principal, 'import into the workspace');
      const { delivered, ...outcome } = await store.importRecords(principal.workspace.id, records);
      // First: messages stored later must not be pushed before these are read.
      bus.publish({ kind: 'inserted', workspaceId: principal.workspace.id, delivered });
      if (records.some(({ type }) => type === 'agent' || type === 'channel' || type === 'member')) {
        await relay.reload(principal.workspace);
      }
      return outcome;
    },
    AUDIT: async ({ principal }, { limit }) => {
      requireOwner(principal, 'read the audit log');
      const records = await store.listAudit(principal.workspace.id, limit);
      return {
        entries: records.map(({ at, actor, action, subject, detail }) => ({
          at,
          actor,
          action,
          subject,
          ...(detail === undefined ? {} : { detail }),
        })),
      };
    },
  };
}
