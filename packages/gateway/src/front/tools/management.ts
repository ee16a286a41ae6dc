import { RelayError } from '@agent-relay/protocol';
import type { Definition } from '../../catalog/validate-tool.ts';
import { toJson } from '../../json/raw-json.ts';
import type { FrontContext } from '../session/context.ts';
import { describeServers, type ServerStatus } from './status.ts';

const name = { type: 'string', description: 'Name of the server' };
const schema = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  ...(Object.keys(properties).length === 0 ? {} : { required: Object.keys(properties) }),
});
const reads = { readOnlyHint: true };

/** The gateway's own tools. Backends cannot use their names. */
export const managementTools: Definition[] = [
  {
    name: 'relay_get_status',
    description: 'Get detailed status of all MCP servers',
    inputSchema: schema({}),
    annotations: reads,
  },
  {
    name: 'relay_reconnect_server',
    description: 'Force reconnect to a specific MCP server',
    inputSchema: schema({ name }),
    annotations: { idempotentHint: true },
  },
  {
    name: 'relay_add_server',
    description: 'Add a new MCP server to the relay at runtime',
    inputSchema: schema({ name, url: { type: 'string', description: 'ws, wss, http or https URL' } }),
    annotations: { openWorldHint: true },
  },
  {
    name: 'relay_remove_server',
    description: 'Remove an MCP server from the relay',
    inputSchema: schema({ name }),
    annotations: { destructiveHint: true },
  },
  {
    name: 'relay_list_servers',
    description: 'List all MCP servers with summary information',
    inputSchema: schema({}),
    annotations: reads,
  },
];

/** Runs a management tool. */
export async function callManagementTool(
  session: FrontContext,
  tool: string,
  args: Record<string, unknown>,
): Promise<Buffer> {
  const { gateway, own } = session;
  const server = (wanted: string) => gateway.status(own).servers.find((entry) => entry.name === wanted);
  switch (tool) {
    case 'relay_get_status': {
      const status = gateway.status(own);
      return toJson({ content: [text(JSON.stringify(status, null, 2))], structuredContent: status });
    }
    case 'relay_list_servers':
      return told(describeServers(gateway.status(own)));
    case 'relay_reconnect_server': {
      const wanted = required(args, 'name');
      const backend = gateway.backend(wanted, own?.backends);
      if (!backend) throw unknownServer(wanted);
      // A client may reconnect its own backends. Reconnecting a shared one ends everybody's calls.
      const isShared = backend === gateway.backend(wanted);
      if (isShared) requireManager(session);
      await backend.reconnect();
      const status = server(wanted);
      if (isShared)
        await session.serversChanged({ action: 'reconnected', name: wanted, url: status?.url ?? '' });
      return reconnected(wanted, status);
    }
    case 'relay_add_server': {
      const wanted = required(args, 'name');
      const url = required(args, 'url');
      requireManager(session);
      await gateway.addServer(wanted, url);
      const status = server(wanted);
      await session.serversChanged({ action: 'added', name: wanted, url: status?.url ?? '' });
      return added(wanted, status);
    }
    default: {
      const wanted = required(args, 'name');
      requireManager(session);
      const before = server(wanted);
      if (!before) throw unknownServer(wanted);
      await gateway.removeServer(wanted);
      await session.serversChanged({ action: 'removed', name: wanted, url: before.url });
      return told(`✅ Server '${wanted}' removed.\n\n💾 Configuration saved.`);
    }
  }
}

function requireManager({ gateway, mayManageServers }: FrontContext): void {
  if (mayManageServers) return;
  const allowed = gateway.manageServers === 'nobody' ? 'Nobody' : 'Only local programs of the owner';
  throw new RelayError(
    'Forbidden',
    `${allowed} may manage servers (manageServers is "${gateway.manageServers}").`,
    {
      next: 'Ask the owner to edit the configuration file, or to set mcp.manageServers in settings.json (--manage-servers for agent-relay gateway).',
    },
  );
}

function reconnected(wanted: string, status: ServerStatus | undefined): Buffer {
  const failed = !status?.connected;
  const first = failed
    ? `❌ Server '${wanted}' could not be reconnected.\nError: ${status?.error}`
    : `✅ Server '${wanted}' reconnected.\nValid Tools: ${status.tools}`;
  return told(`${first}\nHealth: ${status?.health}`, failed);
}

function added(wanted: string, status: ServerStatus | undefined): Buffer {
  const outcome = status?.connected
    ? [`✅ Server '${wanted}' added and connected`, `URL: ${status.url}`, `Tools discovered: ${status.tools}`]
    : [
        `⚠️ Server '${wanted}' added, but not connected yet`,
        `URL: ${status?.url}`,
        `Error: ${status?.error ?? 'still connecting'}`,
      ];
  return told(`${outcome.join('\n')}\nHealth: ${status?.health}\n\n💾 Configuration saved.`);
}

const text = (content: string) => ({ type: 'text', text: content });
const told = (content: string, isError = false): Buffer =>
  toJson({ content: [text(content)], ...(isError ? { isError } : {}) });

const unknownServer = (wanted: string) =>
  new RelayError('BackendNotFound', `No server is named '${wanted}'.`);

export function required(args: Record<string, unknown>, field: string): string {
  const value = args[field];
  if (typeof value === 'string' && value !== '') return value;
  throw new RelayError('InvalidRequest', `The argument "${field}" is missing.`, { details: { field } });
}
