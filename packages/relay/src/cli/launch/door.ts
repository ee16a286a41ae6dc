import { type ListeningMcp, listenForMcp } from '@agent-relay/mcp';
import { connect } from '@agent-relay/sdk/node';
import type { Settings } from '../../daemon/settings/settings.ts';
import type { OpenedProject } from '../target/project.ts';
import { HOST } from './address.ts';

/**
 * Serves the inboxes of the roles, which are agents of the project, to sessions of this user. All of them are registered
 * right away, so that messages to a role without a session wait for it.
 */
export async function openRolesDoor(options: {
  port: number;
  roles: readonly string[];
  key: string | undefined;
  project: OpenedProject;
  settings: Settings;
  onerror(error: unknown): void;
}): Promise<ListeningMcp> {
  const { port, roles, key, project, settings, onerror } = options;
  const { dataDirectory, mcp, limits } = settings;
  const door = { socketPath: project.socketPath, env: { RELAY_DATA_DIR: dataDirectory } };
  for (const name of roles) await (await connect({ ...door, name })).close();
  return await listenForMcp({
    host: HOST,
    port,
    choosePort: '--port',
    maxConnections: mcp.maxConnections,
    headersTimeoutMs: limits.headersTimeoutMs,
    roles,
    defaultTools: ['roles'],
    toolsetsFor: () => ['roles'],
    paths: { sse: '/sse', messages: '/messages', health: '/health' },
    ...(key === undefined ? {} : { apiKey: key }),
    isKeyValid: async () => false,
    // Every accepted client is the user, also with the key: the roles are shared.
    connect: ({ token: _bound, ...profile }) => connect({ ...profile, ...door }),
    onerror,
  });
}
