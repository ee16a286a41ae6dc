import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Door, isLoopbackHost, openDoors } from '@agent-relay/platform/http';
import { sameSecret } from '@agent-relay/platform/secrets';
import { MAX_BODY_BYTES } from '@agent-relay/protocol';
import { localAgentToken, personName, removeLocalAgentTokens } from '@agent-relay/sdk/node';
import { InProcessBus } from '../core/in-process/bus.ts';
import { InProcessDirectory } from '../core/in-process/directory.ts';
import { createOperations } from '../core/operations/index.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Host } from '../core/ports/host.ts';
import type { Workspace } from '../core/ports/store/workspaces.ts';
import type { Store } from '../core/ports/store.ts';
import { createRelay, type Relay } from '../core/relay.ts';
import { startUpkeep } from '../core/upkeep.ts';
import { listenOnSocket } from '../transport/connections/unix-socket.ts';
import { WebSocketDoor } from '../transport/connections/websocket.ts';
import { Counters } from '../transport/flow/counters.ts';
import { Sessions } from '../transport/sessions.ts';
import { VERSION } from '../version.ts';
import { createMetrics } from './doors/metrics.ts';
import { pageDoor, signInDoor } from './doors/page.ts';
import type { Pool } from './doors/pool.ts';
import { ProjectSockets } from './doors/project-sockets.ts';
import { PublishedNames } from './doors/published-names.ts';
import { restDoors } from './doors/rest.ts';
import { healthDoor, metricsDoor } from './doors/web.ts';
import { HostProcesses } from './hosts/host-processes.ts';
import type { Logger } from './log/log.ts';
import { QuestionNotifier } from './question-hook.ts';
import { PORT_OPTIONS, type PortOptions, type StartedFor } from './run-options.ts';
import type { Settings } from './settings/settings.ts';
import { GitWorktrees } from './worktrees/git-worktrees.ts';

export interface RunningDaemon {
  /** Where WebSocket, health and metrics are served. */
  http: string | undefined;
  /** Opens the project of a directory, creating it the first time. */
  openProject(
    root: string,
    name?: string,
  ): Promise<{ project: string; socketPath: string; created: boolean }>;
  /**
   * Serves MCP over HTTP, if enabled in the settings, and resolves with its address. Programs of the user join the
   * project.
   */
  openMcp(project: string): Promise<string | undefined>;
  /** Logs that the daemon is ready. */
  ready(): void;
  /** Finishes open requests, closes every connection, closes the database. */
  stop(): Promise<void>;
}

/** The composition root: the only place where the parts of the daemon meet. */
export async function runDaemon({
  settings,
  store,
  log,
  program,
  portOptions = PORT_OPTIONS,
  startedFor,
}: {
  settings: Settings;
  startedFor: StartedFor;
  /** Closed with the daemon. */
  store: Store;
  log: Logger;
  /** The file of the command line, which also runs the hosts of spawned agents. */
  program: string;
  /** Default: the options of the commands that start a daemon. */
  portOptions?: PortOptions | undefined;
}): Promise<RunningDaemon> {
  // Closed in reverse order when the daemon stops, or when it cannot start.
  const opened = new AsyncDisposableStack();
  opened.defer(() => store.close());
  try {
    return await start(settings, startedFor, store, program, portOptions, log, opened);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function start(
  settings: Settings,
  startedFor: StartedFor,
  store: Store,
  program: string,
  portOptions: PortOptions,
  log: Logger,
  opened: AsyncDisposableStack,
): Promise<RunningDaemon> {
  const startedAt = Date.now();
  const onError = (error: unknown) => log.error({ err: error }, 'unexpected failure');
  const worktrees = new GitWorktrees(settings.dataDirectory);
  const relay = await createRelay({
    store,
    clock: systemClock,
    bus: new InProcessBus().join(),
    directory: new InProcessDirectory(systemClock, settings.goneAfterMs).join(),
    random: Math.random,
    maxBodyBytes: MAX_BODY_BYTES,
    idleAfterMs: settings.idleAfterMs,
    rateLimit: settings.rateLimit,
    governor: settings.governor,
    attachments: settings.attachments,
    quotas: settings.quotas,
    signIn: settings.dashboard,
    person: {
      name: personName(),
      token: ({ name }) => localAgentToken(name, personName(), { RELAY_DATA_DIR: settings.dataDirectory }),
    },
    terminals: {
      ...settings.spawn,
      clis: settings.clis,
      worktrees,
      processes: new HostProcesses({
        dataDirectory: settings.dataDirectory,
        program,
        patterns: settings.spawn.patterns,
      }),
    },
    personNames: ['owner', personName()],
    node: `${hostname()}:${settings.dataDirectory}`,
    onError,
  });
  opened.defer(() => relay.close());
  opened.defer(startUpkeep(store, systemClock, settings.retention, worktrees, onError));
  opened.defer(relay.pageSessions.tend(onError));
  const calls = new QuestionNotifier(settings.hooks.question, log);
  relay.messages.onQuestion = (message, workspaceId) =>
    calls.call({ event: 'question', project: relay.workspaces.byId(workspaceId).name, message });
  relay.terminals.onWaiting = ({ name: agent, workspaceId }, reason) =>
    calls.call({ event: 'waiting', project: relay.workspaces.byId(workspaceId).name, agent, reason });
  const counters = new Counters();
  let http: string | undefined;
  let page: string | undefined;
  let mcp: string | undefined;
  let pool: Pool | undefined;
  const names = new PublishedNames(settings.dataDirectory, () => relay.workspaces.list());
  // Only log it: the change is stored, and the next change or start publishes again.
  const publishNames = () =>
    names.publish().catch((err) => log.error({ err }, 'could not publish the project names'));
  const openSocket = async (workspace: Workspace) => {
    await publishNames();
    return sockets.open(workspace);
  };
  const host: Host = {
    status: () => ({
      version: VERSION,
      pid: process.pid,
      startedAt,
      ...(http === undefined ? {} : { http }),
      ...(mcp === undefined ? {} : { mcp }),
      ...pool?.status(),
      unserved: sockets.unserved().map(({ project, error }) => ({ project, error: error.toPayload() })),
    }),
    startedWith: () => ({
      ...startedFor,
      variables: { ...settings.variables, RELAY_CONFIG: settings.configDirectory },
    }),
    page: () => page,
    openSocket,
    socketPath: (workspace) => sockets.path(workspace),
    forget: async (workspace) => {
      await sockets.closeOne(workspace);
      await publishNames();
      // A new workspace may have the directory by now; leftovers of the old one do no harm.
      if (!relay.workspaces.list().some(({ directory }) => directory === workspace.directory))
        await removeLocalAgentTokens(workspace.directory, { RELAY_DATA_DIR: settings.dataDirectory });
    },
  };
  const { maxFrameBytes, maxPendingRequests } = settings.limits;
  const sessions = new Sessions(
    {
      relay,
      operations: createOperations(relay, host),
      counters,
      welcome: { daemon: { version: VERSION, startedAt }, heartbeatMs: settings.heartbeatMs, maxFrameBytes },
      maxPendingRequests,
      onError,
    },
    settings.limits,
  );
  opened.defer(() => sessions.drain());
  opened.defer(() => relay.terminals.stopWaiting());
  opened.defer(() => worktrees.close());
  if (settings.mcp.servers.length > 0) {
    // A daemon without such servers does not load the gateway.
    const { openPool } = await import('./doors/pool.ts');
    pool = opened.adopt(await openPool(settings, relay, log), (started) => started.close());
    relay.targets.backends = pool.backends;
  }
  const sockets = new ProjectSockets(settings.dataDirectory, (workspace, path) => [
    listenOnSocket(path, maxFrameBytes, sessions.acceptAt({ kind: 'local', workspace })),
    ...(pool ? [pool.listen(workspace, path)] : []),
  ]);
  opened.defer(() => sockets.close());
  // Finishes a rename interrupted by a crash: it is in the database, or never happened.
  await publishNames();
  for (const workspace of relay.workspaces.list()) {
    // A project that cannot be served must not affect the others; it is tried again on request.
    await sockets
      .open(workspace)
      .catch((err) => log.error({ project: workspace.name, err }, 'the project is not served'));
  }
  const web = settings.http.enabled
    ? await openDoors(await webDoors(settings, relay, sessions, counters, () => pool), {
        ...settings.http,
        headersTimeoutMs: settings.limits.headersTimeoutMs,
        choosePort: portOptions.http,
        settings: 'http',
        onerror: onError,
      })
    : undefined;
  if (web) {
    http = httpUrl(settings.http.host, web.port);
    page = httpUrl(reachable(settings.http.host), web.port);
    opened.defer(() => web.close());
  }
  let isReady = false;

  return {
    http,
    openProject: async (root, name) => {
      const { workspace, created } = await relay.openProject(root, name);
      return { project: workspace.name, socketPath: await openSocket(workspace), created };
    },
    openMcp: async (project) => {
      if (!settings.mcp.http) return undefined;
      const { openMcpDoor } = await import('./doors/mcp.ts');
      const workspace = relay.workspaces.get(project);
      const choosePort = portOptions.mcp;
      const door = await openMcpDoor({ settings, choosePort, relay, sessions, workspace, pool, onError });
      opened.defer(() => door.close());
      mcp = door.url;
      log.info({ url: mcp }, 'MCP is served over HTTP');
      return mcp;
    },
    ready: () => {
      isReady = true;
      log.info({ version: VERSION, database: store.kind, http }, 'daemon ready');
    },
    stop: async () => {
      await opened.disposeAsync();
      if (isReady) log.info('daemon stopped');
    },
  };
}

/** IPv6 addresses need brackets. */
const httpUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** An address that a browser on this machine can open. */
const reachable = (host: string): string => ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[host] ?? host;

/** The files of the dashboard, beside the bundles. */
const PAGE = fileURLToPath(new URL('../../dist/page/', import.meta.url));

/** What the daemon serves on its HTTP port. */
async function webDoors(
  settings: Settings,
  relay: Relay,
  sessions: Sessions,
  counters: Counters,
  pool: () => Pool | undefined,
): Promise<Door[]> {
  const { apiKey } = settings.mcp;
  const isApiKey = (key: string) => apiKey !== undefined && sameSecret(key, apiKey);
  const rule = {
    needsKey: apiKey !== undefined || !isLoopbackHost(settings.http.host),
    isKeyValid: (key: string) => isApiKey(key) || isWorkspaceKey(relay, key),
  };
  const accept = sessions.acceptAt({ kind: 'remote' });
  const servers = () =>
    pool()
      ?.status()
      .servers.map((server) => ({ ...server, tools: pool()?.tools(server.name) ?? [] })) ?? [];
  return [
    new WebSocketDoor(settings.limits.maxFrameBytes, accept),
    healthDoor(() => ({ status: 'ok', version: VERSION, uptime: process.uptime() })),
    metricsDoor(createMetrics(relay, counters), rule),
    await pageDoor(PAGE),
    signInDoor(relay.pageSessions),
    ...restDoors({ accept, servers }),
  ];
}

const isWorkspaceKey = (relay: Relay, key: string): Promise<boolean> =>
  relay.workspaces.authenticate(key).then(
    () => true,
    () => false,
  );

const systemClock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    // A timer alone must not keep the daemon alive.
    timer.unref();
    return () => clearTimeout(timer);
  },
};
