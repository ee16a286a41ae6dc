import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DoorsOptions, isLoopbackHost, openDoors } from '@agent-relay/platform/http';
import { MAX_BODY_BYTES, MAX_FRAME_BYTES } from '@agent-relay/protocol';
import type { Workspace } from '../../packages/relay/src/core/ports/store/workspaces.ts';
import { healthDoor, metricsDoor } from '../../packages/relay/src/daemon/doors/web.ts';
import { listenOnSocket } from '../../packages/relay/src/transport/connections/unix-socket.ts';
import { WebSocketDoor } from '../../packages/relay/src/transport/connections/websocket.ts';
import { Counters } from '../../packages/relay/src/transport/flow/counters.ts';
import { Sessions } from '../../packages/relay/src/transport/sessions.ts';
import { openCore, type TestCore } from './core.ts';
import { connectToSocket, connectToWebSocket, type RawClient } from './raw-client.ts';

export interface ServedOptions {
  heartbeatMs?: number;
  maxConnections?: number;
  maxPendingRequests?: number;
  refusalsPerSecond?: number;
  maxFrameBytes?: number;
  http?: Partial<DoorsOptions> & { needsKey?: boolean };
}

/** The daemon's doors in this process, on a manual clock. */
export interface Served extends AsyncDisposable {
  readonly core: TestCore;
  readonly workspace: Workspace;
  readonly counters: Counters;
  readonly sessions: Sessions;
  readonly socketPath: string;
  /** `host:port`. */
  readonly http: string;
  /** A connection through the local socket, or through the WebSocket with a key of the workspace. */
  connect(door?: DoorName): Promise<RawClient>;
  /** The same, as an agent. */
  join(name: string, hello?: Record<string, unknown>, door?: DoorName): Promise<RawClient>;
  /** A key of the workspace. */
  readonly key: string;
}

export type DoorName = 'unix socket' | 'WebSocket';
export const DOORS: DoorName[] = ['unix socket', 'WebSocket'];

/** Opens the doors of `shared`, or of its own core, which then ends with them. */
export async function serve(options: ServedOptions = {}, shared?: TestCore): Promise<Served> {
  const directory = mkdtempSync(join(tmpdir(), 'relay-served-'));
  const core = shared ?? (await openCore({ maxBodyBytes: MAX_BODY_BYTES }));
  const workspace = await core.newWorkspace();
  const { key } = await core.owner(workspace).request('KEY_CREATE', {});
  const counters = new Counters();
  const maxFrameBytes = options.maxFrameBytes ?? MAX_FRAME_BYTES;
  const failures: unknown[] = [];
  const sessions = new Sessions(
    {
      relay: core.relay,
      operations: core.operations,
      counters,
      welcome: {
        daemon: { version: '0.0.0', startedAt: core.clock.now() },
        heartbeatMs: options.heartbeatMs ?? 15_000,
        maxFrameBytes,
      },
      maxPendingRequests: options.maxPendingRequests ?? 1024,
      onError: (error) => failures.push(error),
    },
    { maxConnections: options.maxConnections ?? 1000, refusalsPerSecond: options.refusalsPerSecond ?? 1000 },
  );
  const socketPath = join(directory, 'daemon.sock');
  const socketServer = await listenOnSocket(
    socketPath,
    maxFrameBytes,
    sessions.acceptAt({ kind: 'local', workspace }),
  );
  const { host = '127.0.0.1', needsKey = false, ...web } = options.http ?? {};
  const rule = {
    needsKey: needsKey || !isLoopbackHost(host),
    isKeyValid: (candidate: string) =>
      core.relay.workspaces.authenticate(candidate).then(
        () => true,
        () => false,
      ),
  };
  const doors = await openDoors(
    [
      new WebSocketDoor(maxFrameBytes, sessions.acceptAt({ kind: 'remote' })),
      healthDoor(() => ({ status: 'ok' })),
      metricsDoor({ contentType: 'text/plain', metrics: async () => 'the figures' }, rule),
    ],
    { host, port: 0, settings: 'http', onerror: (error) => failures.push(error), ...web },
  );
  const http = `${host}:${doors.port}`;
  const clients: RawClient[] = [];
  const connect = async (door: DoorName = 'unix socket') => {
    const client = await (door === 'unix socket'
      ? connectToSocket(socketPath)
      : connectToWebSocket(`ws://${http}/ws`));
    // The clock is the test's, and so are the heartbeats.
    client.answersHeartbeats = false;
    clients.push(client);
    return client;
  };
  const credentials = (door: DoorName) => (door === 'unix socket' ? {} : { workspaceKey: key });
  return {
    core,
    workspace,
    counters,
    sessions,
    socketPath,
    http,
    key,
    connect,
    async join(name, hello = {}, door = 'unix socket') {
      const client = await connect(door);
      await client.hello({ name, ...credentials(door), ...hello });
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client[Symbol.dispose]();
      await sessions.drain();
      socketServer.close();
      doors.close();
      if (!shared) await core[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
      if (failures.length > 0) throw new AggregateError(failures, 'A session met a failure of its own.');
    },
  };
}
