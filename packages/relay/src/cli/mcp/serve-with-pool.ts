import {
  createGateway,
  customBackend,
  managementTools,
  openSocketChannel,
  serveGatewayStdio,
} from '@agent-relay/gateway';
import { GATEWAY_TOOLSET, localRelayServer, tellPerson, toolsetNames } from '@agent-relay/mcp';
import { plainAgentName, RelayError } from '@agent-relay/protocol';
import { type Discovery, discoverSocket, localAgentToken } from '@agent-relay/sdk/node';
import { poolSocketPath } from '../../daemon/doors/pool-socket.ts';

/** Find a restarted daemon soon. */
const LIMITS = { reconnectMs: 1000 };

/** Listed until a daemon answers. Calling one explains how to start it. */
const MEANWHILE = { tools: managementTools, prompts: [], resources: [], templates: [] };

/**
 * Serves one MCP client on standard input and output until it disconnects: a small gateway with the relay's own server
 * first, then the daemon's MCP servers.
 */
export async function serveWithPool(toolsets: string): Promise<void> {
  const { RELAY_URL, RELAY_WORKSPACE_KEY } = process.env;
  if (RELAY_URL || RELAY_WORKSPACE_KEY) {
    throw new RelayError(
      'InvalidSettings',
      'The toolset "gateway" works only with the daemon on this machine.',
      {
        next: 'Unset RELAY_URL and RELAY_WORKSPACE_KEY, or connect to the other daemon over HTTP with ?tools=gateway.',
      },
    );
  }
  const tools = toolsetNames(toolsets).filter((name) => name !== GATEWAY_TOOLSET);
  const relay = tools.length > 0 ? localRelayServer({ tools }) : undefined;
  tellPerson();
  const gateway = await createGateway({ configFiles: [], management: false, limits: LIMITS });
  await serveGatewayStdio(gateway, {
    ...(relay && { instructions: relay.instructions }),
    ownBackends: ({ info }) => [
      ...(relay
        ? [customBackend('relay', (events) => relay.connect({ hasSession: true, info }, events))]
        : []),
      customBackend('daemon', openPool, { meanwhile: MEANWHILE }),
    ],
  });
  await gateway.close();
}

const openPool: Parameters<typeof customBackend>[1] = async (events) => {
  const daemon = await discoverSocket();
  try {
    return await openSocketChannel(poolSocketPath(daemon.socketPath), await introduction(daemon), events);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new RelayError('BackendUnavailable', 'The daemon has no MCP servers configured.', {
      next: 'Restart it with a file that lists some: agent-relay daemon restart --mcp-servers FILE',
      cause,
    });
  }
};

/** Identifies the client by its name and local token. */
async function introduction({ project }: Discovery): Promise<{ name?: string; token?: string }> {
  const name = plainAgentName(process.env.RELAY_AGENT_NAME ?? '');
  return name && project ? { name, token: await localAgentToken(project, name) } : {};
}
