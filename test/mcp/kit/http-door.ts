import { type ListeningMcp, type ListenOptions, listenForMcp } from '@agent-relay/mcp';
import { connect, isRelayError } from '@agent-relay/sdk/node';
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { TestDaemon } from '../../kit/daemon.ts';

export type TestDoor = ListeningMcp & AsyncDisposable & { errors: unknown[] };

/** The MCP door in front of a real daemon, on a free port. Whoever comes without a key is a local user, unless told. */
export async function openDoor(daemon: TestDaemon, options: Partial<ListenOptions> = {}): Promise<TestDoor> {
  const errors: unknown[] = [];
  const door = await listenForMcp({
    ...doorOptions(daemon),
    onerror: (error) => errors.push(error),
    ...options,
  });
  return Object.assign(door, { errors, [Symbol.asyncDispose]: () => door.close() });
}

/** What a door needs to know about the daemon behind it. */
export function doorOptions(daemon: TestDaemon): ListenOptions {
  const url = `ws://${daemon.http}/ws`;
  return {
    host: '127.0.0.1',
    port: 0,
    isKeyValid: async (key) => {
      const credential = key.startsWith('at_') ? { token: key } : { workspaceKey: key };
      try {
        await (await connect({ url, env: {}, reconnect: false, paths: [], ...credential })).close();
        return true;
      } catch (error) {
        if (isRelayError(error, 'Unauthorized')) return false;
        throw error;
      }
    },
    connect: (profile, { kind }) =>
      kind === 'local' || kind === 'apiKey'
        ? connect({
            ...profile,
            socketPath: daemon.socketPath,
            env: { RELAY_DATA_DIR: daemon.dataDirectory },
          })
        : connect({ ...profile, url, env: {} }),
  };
}

export interface HttpClientOptions {
  key?: string;
  agent?: string;
  tools?: string;
  /** Chosen by a header. */
  project?: string;
}

/** The two HTTP transports of a client. */
export const httpTransport = (door: { url: string }, options: HttpClientOptions = {}): Transport =>
  new StreamableHTTPClientTransport(withTools(door.url, options), {
    requestInit: { headers: headersOf(options) },
  });

export const sseTransport = (url: string, options: HttpClientOptions = {}): Transport => {
  const headers = headersOf(options);
  return new SSEClientTransport(withTools(url, options), {
    requestInit: { headers },
    eventSourceInit: {
      fetch: (input, init) => fetch(input, { ...init, headers: { ...init?.headers, ...headers } }),
    },
  });
};

export const headersOf = ({ key, agent, project }: HttpClientOptions): Record<string, string> => ({
  ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
  ...(agent === undefined ? {} : { 'X-Relay-Agent': agent }),
  ...(project === undefined ? {} : { 'X-Relay-Project': project }),
});

function withTools(address: string, { tools }: HttpClientOptions): URL {
  const url = new URL(address);
  if (tools !== undefined) url.searchParams.set('tools', tools);
  return url;
}
