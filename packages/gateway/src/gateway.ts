import { RelayError } from '@agent-relay/protocol';
import type { Backend, BackendEvents } from './backend/backend.ts';
import { BackendSet, fingerprintOf } from './backend/backend-set.ts';
import { type BackendLimits, USUAL_LIMITS } from './backend/limits.ts';
import type { CatalogSource } from './catalog/catalog.ts';
import { Manifest } from './catalog/manifest.ts';
import { Pins } from './catalog/pins.ts';
import { reasonToDistrust } from './catalog/state-directory.ts';
import type { Definition } from './catalog/validate-tool.ts';
import { LiveConfig } from './config/live-config.ts';
import type { ConfiguredBackend } from './config/load.ts';
import type { Outlet } from './front/session/call.ts';
import type {
  FrontSessionOptions,
  GatewayHost,
  OwnBackends,
  ResourceWatcher,
  ServerManagers,
} from './front/session/context.ts';
import { type ListName, LiveCatalog } from './front/session/live-catalog.ts';
import { mostTalkative, USUAL_LEVEL } from './front/session/log-levels.ts';
import { ResourceWatchers } from './front/session/resource-watchers.ts';
import { FrontSession } from './front/session/session.ts';
import { managementTools } from './front/tools/management.ts';
import { type GatewayStatus, readStatus, type ServerStatus } from './front/tools/status.ts';
import { searchTools } from './front/tools/tool-search.ts';
import { CallLog } from './log/call-log.ts';
import { describeChange, describeLoaded, describeReady } from './log/config-log.ts';
import { Log } from './log/log.ts';
import { ServerLog } from './log/server-log.ts';
import type { GatewayOptions } from './options.ts';
import { type ReviewedTool, SharedTools, type ToolCallOptions } from './shared-tools.ts';

/** Many MCP servers as one: the configuration, the backends, their catalog and the client sessions. */
export class Gateway implements GatewayHost {
  readonly limits: BackendLimits;
  readonly ownTools: Definition[];
  readonly listsOwnToolsOnly: boolean;
  readonly manageServers: ServerManagers;
  readonly startupMs: number;
  readonly catalog: LiveCatalog;
  readonly log: Log;
  readonly callLog: CallLog;
  readonly #manifest: Manifest;
  readonly #pins: Pins;
  readonly #shared: BackendSet;
  readonly #sessions = new Set<FrontSession>();
  readonly #tools: SharedTools;
  readonly #watchers: ResourceWatchers;
  readonly #config: LiveConfig;
  readonly #serverLog: ServerLog;
  #closed = false;

  constructor(options: GatewayOptions, log: Log, manifest: Manifest, pins: Pins) {
    this.log = log;
    this.callLog = new CallLog(log);
    this.#manifest = manifest;
    this.#pins = pins;
    this.listsOwnToolsOnly = options.mode === 'search';
    this.ownTools = [
      ...(options.management === false ? [] : managementTools),
      ...(this.listsOwnToolsOnly ? searchTools : []),
    ];
    this.manageServers = options.manageServers ?? 'local';
    this.startupMs = options.startupMs ?? 2000;
    this.limits = { ...USUAL_LIMITS, ...options.limits };
    this.#config = new LiveConfig({
      files: options.configFiles,
      env: options.env,
      directoryOf: options.directoryOf,
      nameProblem: options.nameProblem,
      beside: { file: pins.approvalsFile, reread: () => pins.reload() },
      apply: (backends, before) => this.#configurationChanged(backends, before),
      log,
    });
    this.catalog = new LiveCatalog(
      () => this.sources(),
      this.ownTools,
      (list) => this.#listChanged(list),
    );
    this.#shared = new BackendSet({
      limits: this.limits,
      events: this.backendEvents(() => {
        this.catalog.invalidate();
        this.#serverLog.changed();
      }),
      recall: (entry) => this.recall(entry),
    });
    this.#tools = new SharedTools(this.#config, this.#shared, pins);
    this.#watchers = new ResourceWatchers(this.#shared);
    this.#serverLog = new ServerLog(() => this.servers('shared'), log, options.onServersChanged);
  }

  /** Reads the configuration, starts the backends and watches the files. Throws if a file is invalid. */
  async start(): Promise<void> {
    await this.#config.start();
    this.log.info(describeLoaded(this.#config.backends));
    void this.#shared.attempted(this.startupMs).then(() => {
      if (this.#closed) return;
      this.#serverLog.flush();
      this.log.info(describeReady(this.#config.backends, this.status().servers));
    });
  }

  /** Resolves when the first lists are complete, or no backend arrived for `startupMs`. */
  ready(): Promise<void> {
    return this.#shared.settled(this.startupMs);
  }

  /** Applies the files on disk. If one is invalid, the running configuration stays. */
  reload(): Promise<void> {
    return this.#config.reload();
  }

  openSession(output: Outlet, options: FrontSessionOptions = {}): FrontSession {
    const session = new FrontSession(this, output, options, () => {
      this.#sessions.delete(session);
      this.#watchers.forget(session);
      this.logLevelChanged();
    });
    this.#sessions.add(session);
    return session;
  }

  /** The configured backends of a scope, in order. */
  configured(scope: 'shared' | 'session'): ConfiguredBackend[] {
    return this.#config.backends.filter(({ config }) => config.scope === scope);
  }

  backend(name: string, own?: BackendSet): Backend | undefined {
    return this.#shared.get(name) ?? own?.get(name);
  }

  /** The parts of a catalog: shared backends and those of a session, in configuration order. */
  sources(own?: BackendSet, first: ConfiguredBackend[] = []): CatalogSource[] {
    return [...first, ...this.#config.backends].flatMap(({ config }) => {
      const backend = this.backend(config.name, own);
      if (!backend) return [];
      const { name, prefix, allow, deny, pin } = config;
      const { withheld } = this.#pins.review(name, backend.lists.tools, pin);
      return [{ name, prefix, allow, deny, lists: backend.lists, withheld }];
    });
  }

  recall(entry: ConfiguredBackend) {
    return this.#manifest.recall(entry.config.name, fingerprintOf(entry));
  }

  /** How the gateway handles events of backends. Shared backends have no client to ask. */
  backendEvents(changed: () => void): BackendEvents {
    return {
      changed: (backend) => {
        this.#remember(backend);
        changed();
      },
      notConnected: ({ config: { name }, problem }) => this.log.debug(`${name}: cannot connect: ${problem}`),
      resourceUpdated: (uri) => this.#watchers.updated(uri),
      log: (backend, params) => {
        const callers = [...this.#sessions].filter((session) => session.isCalling(backend));
        for (const session of callers.length > 0 ? callers : this.#sessions) session.logged(backend, params);
      },
      tooLoud: ({ config: { name, notificationsPerSecond } }) =>
        this.log.warn(`${name}: more than ${notificationsPerSecond} notifications a second; dropping some`),
      ask: () => Promise.reject(new Error('a shared backend cannot ask a client; use scope: session')),
    };
  }

  status(own?: OwnBackends): GatewayStatus {
    const { current } = own?.catalog ?? this.catalog;
    return readStatus(this.#config.backends, (name) => this.backend(name, own?.backends), current, {
      changed: (name, tools, pin) => this.#pins.review(name, tools, pin).changed,
      configProblem: this.#config.problem,
    });
  }

  /** The status of the backends of a scope. */
  servers(scope: 'shared' | 'session', own?: OwnBackends): ServerStatus[] {
    const names = this.configured(scope).map(({ config }) => config.name);
    return this.status(own).servers.filter(({ name }) => names.includes(name));
  }

  /** Adds a backend, saves it and connects. */
  async addServer(name: string, url: string): Promise<void> {
    await this.#config.add(name, url);
    this.log.info(`${name}: added by a client, ${this.#config.find(name)?.config.address}`);
    await this.#shared.get(name)?.attempted(this.limits.callConnectMs);
  }

  async removeServer(name: string): Promise<void> {
    await this.#config.remove(name);
    this.log.info(`${name}: removed by a client`);
  }

  /** Reconnects a shared server; resolves when that succeeded or failed. */
  async reconnectServer(name: string): Promise<void> {
    const backend = this.#shared.get(name);
    if (!backend) throw new RelayError('BackendNotFound', `No shared server is named '${name}'.`);
    await backend.reconnect();
  }

  /** Approves the changed definition of a tool that has this digest (see `reviewedTools`). */
  async approveTool(server: string, tool: string, digest: string): Promise<void> {
    if (!this.#config.find(server))
      throw new RelayError('BackendNotFound', `No server is named '${server}'.`);
    if (!(await this.#pins.approve(server, tool, digest))) {
      throw new RelayError('IdConflict', `The definition of '${tool}' is not the one that was shown.`, {
        next: 'Read the current definition, then approve that.',
      });
    }
    this.log.info(`${server}: approved ${tool}`);
    await this.#config.reload();
  }

  /** Every tool that a shared server offers, also those that may not be called, and why. */
  reviewedTools(server: string): ReviewedTool[] {
    return this.#tools.reviewed(server);
  }

  /** The names of the shared servers that are configured and may be used. */
  get serverNames(): string[] {
    return this.configured('shared').flatMap(({ config, problem }) =>
      problem === undefined ? [config.name] : [],
    );
  }

  /** The tools of a shared server that may be called, by the names the backend itself uses. */
  toolsOf(server: string): Definition[] {
    return this.#tools.callable(server);
  }

  /** Calls a tool by the names the backend itself uses. */
  callTool(
    server: string,
    tool: string,
    args: Record<string, unknown>,
    options?: ToolCallOptions,
  ): Promise<unknown> {
    return this.#tools.call(server, tool, args, options);
  }

  /** The schema of the arguments of a tool; undefined if it is not known. */
  inputSchemaOf(server: string, tool: string): object | undefined {
    return this.#tools.inputSchema(server, tool);
  }

  watch(watcher: ResourceWatcher, uri: string, backend: Backend): void {
    this.#watchers.watch(watcher, uri, backend);
  }

  unwatch(watcher: ResourceWatcher, uri: string): void {
    this.#watchers.unwatch(watcher, uri);
  }

  /** Shared backends use the lowest level any client chose; sessions filter for the others. */
  logLevelChanged(): void {
    const wanted = [...this.#sessions].map(({ logLevel }) => logLevel);
    // Until a client chooses a level, backends use their own default.
    if (wanted.every((level) => level === undefined)) return;
    const level = mostTalkative(wanted.map((one) => one ?? USUAL_LEVEL));
    if (level !== undefined) for (const backend of this.#shared) backend.setLogLevel(level);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#config.close();
    for (const session of [...this.#sessions]) await session.close();
    await this.#shared.stop();
    await this.#manifest.save();
    await this.#pins.saved();
  }

  #configurationChanged(
    backends: readonly ConfiguredBackend[],
    before: readonly ConfiguredBackend[] | undefined,
  ): void {
    const change = before && describeChange(before, backends);
    if (change !== undefined) this.log.info(`Configuration reloaded: ${change}`);
    this.#shared.apply(this.configured('shared'));
    this.#serverLog.changed();
    this.logLevelChanged();
    for (const session of this.#sessions) session.configurationChanged();
    this.catalog.invalidate();
  }

  #remember(backend: Backend): void {
    const { config, connected, era, lists } = backend;
    const entry = this.#config.find(config.name);
    const fingerprint = fingerprintOf({ config });
    // A replaced backend may still be finishing its calls. Its lists are outdated.
    if (!connected || !era || !entry || fingerprintOf(entry) !== fingerprint) return;
    this.#manifest.keep(config.name, fingerprint, { era, lists });
  }

  #listChanged(list: ListName): void {
    for (const session of this.#sessions) session.sharedListChanged(list);
  }
}

/** Creates and starts a gateway. Backends connect in the background. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const log = new Log(options.logLevel ?? 'info', options.log);
  const warn = (line: string) => log.warn(line);
  const distrust = options.stateDir && (await reasonToDistrust(options.stateDir));
  if (distrust) warn(`Not using the state directory: ${distrust}`);
  const stateDir = distrust ? undefined : options.stateDir;
  const manifest = await Manifest.open(stateDir, warn);
  const pins = await Pins.open(stateDir, warn);
  const gateway = new Gateway(options, log, manifest, pins);
  await gateway.start();
  return gateway;
}
