import {
  createGateway,
  customBackend,
  managementTools,
  openSocketChannel,
  serveGatewayStdio,
} from '@agent-relay/gateway';
import {
  complaint,
  environmentName,
  GATEWAY_TOOLSET,
  localRelayServer,
  tellPerson,
  toolsetNames,
} from '@agent-relay/mcp';
import { RelayError } from '@agent-relay/protocol';
import { type Discovery, discoverSocket, localAgentToken } from '@agent-relay/sdk/node';
import { poolSocketPath } from '../../daemon/doors/pool-socket.ts';

type OpenChannel = Parameters<typeof customBackend>[1];
type ChannelEvents = Parameters<OpenChannel>[0];
type Channel = Awaited<ReturnType<OpenChannel>>;

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
  const complaints = new Complaints();
  const relay =
    tools.length > 0 ? localRelayServer({ tools, onerror: (error) => complaints.tell(error) }) : undefined;
  tellPerson();
  const gateway = await createGateway({ configFiles: [], management: false, limits: LIMITS });
  await serveGatewayStdio(gateway, {
    ...(relay && { instructions: ({ info }) => relay.instructions({ hasSession: true, info }) }),
    ownBackends: ({ info }) => [
      ...(relay
        ? [customBackend('relay', (events) => relay.connect({ hasSession: true, info }, events))]
        : []),
      customBackend('daemon', (events) => openPool(events, complaints), { meanwhile: MEANWHILE }),
    ],
  });
  await gateway.close();
  await relay?.close();
}

/** Connects to the servers of the daemon, and tells the person why that fails. */
async function openPool(events: ChannelEvents, complaints: Complaints): Promise<Channel> {
  try {
    const channel = await openDaemonSocket(events);
    complaints.forget();
    return channel;
  } catch (error) {
    complaints.tell(error);
    throw error;
  }
}

async function openDaemonSocket(events: ChannelEvents): Promise<Channel> {
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
}

/** Prints each reason why the daemon cannot be reached once, however often it is tried. */
class Complaints {
  #last: string | undefined;

  tell(error: unknown): void {
    const line = complaint(error);
    if (line !== this.#last) process.stderr.write(line);
    this.#last = line;
  }

  /** The daemon was reached. */
  forget(): void {
    this.#last = undefined;
  }
}

/** Identifies the client by its name and local token. */
async function introduction({ project }: Discovery): Promise<{ name?: string; token?: string }> {
  const name = environmentName(process.env);
  return name && project ? { name, token: await localAgentToken(project, name) } : {};
}
