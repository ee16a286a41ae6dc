import type { Backend } from '../../backend/backend.ts';
import { CallAborted } from '../../backend/failures.ts';
import { reasonOf } from '../../backend/reason.ts';
import { META, MODERN_VERSION } from '../../backend/rpc/negotiate.ts';
import { type Catalog, type Route, resourceRoute } from '../../catalog/catalog.ts';
import { isObject, objectFrom, scanMessage, scanObject, stringFrom, toJson } from '../../json/raw-json.ts';
import type { Call, Outlet } from './call.ts';
import { ClientBackends } from './client-backends.ts';
import type {
  FrontClient,
  FrontContext,
  FrontSessionOptions,
  GatewayHost,
  ResourceWatcher,
  ServerChange,
} from './context.ts';
import { Forwarder } from './forward.ts';
import type { ListName, LiveCatalog } from './live-catalog.ts';
import { isLoud, USUAL_LEVEL } from './log-levels.ts';
import {
  errorBytes,
  errorMessage,
  INVALID_PARAMS,
  INVALID_REQUEST,
  notificationMessage,
  ProtocolError,
  resultMessage,
  stampModern,
  UNSUPPORTED_VERSION,
} from './messages.ts';
import { serveMethod } from './methods.ts';
import { Questions } from './questions.ts';
import { Subscriptions } from './subscriptions.ts';

/**
 * One client of the gateway, of either protocol era: each request shows its era, so connections need no state for it.
 * Backends with `scope: session` belong to it alone.
 */
export class FrontSession implements FrontContext, ResourceWatcher {
  readonly gateway: GatewayHost;
  readonly forwarder: Forwarder;
  readonly subscriptions: Subscriptions;
  readonly #options: FrontSessionOptions;
  readonly #output: Outlet;
  readonly #ended: () => void;
  /** Not keyed by id: clients choose ids, and several clients may share a session. */
  readonly #calls = new Set<{ call: Call; abort: AbortController }>();
  readonly #questions = new Questions();
  /** From `initialize`. Modern clients send it with each request. */
  #legacyClient: { capabilities: Record<string, unknown>; info: unknown } | undefined;
  #logLevel: string | undefined;
  #own: ClientBackends | undefined;
  #isComplete = false;

  constructor(gateway: GatewayHost, output: Outlet, options: FrontSessionOptions, ended: () => void) {
    this.gateway = gateway;
    this.#options = options;
    this.#output = output;
    this.#ended = ended;
    this.subscriptions = new Subscriptions({
      watch: (call, uri) => this.#watch(call, uri),
      unwatch: (uri) => this.#unwatch(uri),
    });
    this.forwarder = new Forwarder((call, method, params, signal) =>
      this.#questions.ask(call.reply, method, params, signal),
    );
  }

  /** Handles one message of the client. Answers go to `reply`; the returned function cancels it. */
  receive(bytes: Buffer, reply: Outlet = this.#output): () => void {
    const abort = new AbortController();
    const { members, flaw } = scanMessage(bytes) ?? {};
    const method = stringFrom(members?.get('method'));
    const id = members?.get('id');
    if (members && flaw === undefined && method !== undefined) {
      if (id) void this.#serve(id, method, members.get('params'), reply, abort);
      else this.#notified(method, members.get('params'));
    } else if (members && id && method === undefined) {
      this.#questions.answered(id, members, flaw);
    } else {
      const problem = new ProtocolError(
        members ? INVALID_REQUEST : -32700,
        flaw === undefined ? 'The message is not a JSON-RPC request.' : `Invalid request: ${flaw}.`,
      );
      reply.answer(errorMessage(id ?? toJson(null), errorBytes(problem)));
    }
    return () => abort.abort();
  }

  async close(): Promise<void> {
    this.subscriptions.close();
    for (const { abort } of this.#calls) abort.abort();
    this.#questions.close();
    this.forwarder.close();
    this.#ended();
    await this.#own?.backends.stop();
  }

  get own(): ClientBackends | undefined {
    return this.#own;
  }

  get mayManageServers(): boolean {
    const { manageServers } = this.gateway;
    return manageServers === 'everyone' || (manageServers === 'local' && !this.#options.remote);
  }

  async serversChanged(change: ServerChange): Promise<void> {
    await this.#options.serversChanged?.(change);
  }

  /** The log level the client chose, if any. */
  get logLevel(): string | undefined {
    return this.#logLevel;
  }

  async instructions(call: Call): Promise<string | undefined> {
    return await this.#options.instructions?.(this.#clientOf(call));
  }

  get liveCatalog(): LiveCatalog {
    return this.#own?.catalog ?? this.gateway.catalog;
  }

  async catalog(call: Call): Promise<Catalog> {
    this.openOwnBackends(call);
    await Promise.all([this.gateway.ready(), this.#own?.backends.settled(this.gateway.startupMs)]);
    this.#isComplete = true;
    // This client's catalog follows the shared one, which may have unreported changes.
    this.gateway.catalog.refresh();
    return this.liveCatalog.current;
  }

  knownTool(name: string): Route | undefined {
    return this.#isComplete || !this.#hasOwn ? this.liveCatalog.current.tools.get(name) : undefined;
  }

  backend(name: string): Backend | undefined {
    return this.gateway.backend(name, this.#own?.backends);
  }

  initialized(client: { capabilities: Record<string, unknown>; info: unknown }): void {
    this.#legacyClient = client;
  }

  setLogLevel(level: string): void {
    this.#logLevel = level;
    this.gateway.logLevelChanged();
    for (const backend of this.#own?.backends ?? []) backend.setLogLevel(level);
  }

  configurationChanged(): void {
    this.#own?.configurationChanged();
  }

  sharedListChanged(list: ListName): void {
    if (this.#own) this.#own.catalog.invalidate();
    else this.#listChanged(list);
  }

  resourceUpdated(uri: string): void {
    const params = { uri };
    if (this.subscriptions.watchesLegacy(uri)) this.#tell('notifications/resources/updated', params);
    this.subscriptions.publish('notifications/resources/updated', params);
  }

  /** Whether a backend is handling a call of this client. */
  isCalling(backend: Backend): boolean {
    return this.#callAt(backend) !== undefined;
  }

  /** Forwards a log message to the call it may belong to or, in the legacy era, outside any call. */
  logged(backend: Backend, params: Buffer): void {
    const level = stringFrom(scanObject(params)?.get('level')) ?? 'info';
    const call = this.#callAt(backend);
    if (call?.era === 'modern') {
      const wanted = call.meta[META.logLevel];
      if (typeof wanted === 'string' && isLoud(level, wanted))
        call.reply.send(notificationMessage('notifications/message', params));
    } else if (this.#legacyClient && isLoud(level, this.#logLevel ?? USUAL_LEVEL)) {
      (call?.reply ?? this.#output).send(notificationMessage('notifications/message', params));
    }
  }

  async #serve(
    id: Buffer,
    method: string,
    rawParams: Buffer | undefined,
    reply: Outlet,
    abort: AbortController,
  ): Promise<void> {
    let open: { call: Call; abort: AbortController } | undefined;
    try {
      const call = this.#toCall(id, method, rawParams, abort.signal, reply);
      open = { call, abort };
      this.#calls.add(open);
      const result = await serveMethod(this, call);
      if (abort.signal.aborted) return;
      call.trace?.answered(result.length);
      reply.answer(resultMessage(id, call.era === 'modern' ? stampModern(method, result) : result));
    } catch (error) {
      open?.call.trace?.failed(reasonOf(error));
      // A cancelled request gets no answer: the client no longer expects one.
      if (!(error instanceof CallAborted) && !abort.signal.aborted)
        reply.answer(errorMessage(id, errorBytes(error)));
    } finally {
      if (open) this.#calls.delete(open);
    }
  }

  #toCall(
    id: Buffer,
    method: string,
    rawParams: Buffer | undefined,
    signal: AbortSignal,
    reply: Outlet,
  ): Call {
    const params = rawParams === undefined ? new Map<string, Buffer>() : scanObject(rawParams);
    if (!params) throw new ProtocolError(INVALID_PARAMS, 'The params are not an object.');
    const meta = objectFrom(params.get('_meta')) ?? {};
    const trace = this.gateway.callLog.received(id, method, params);
    const claimed = meta[META.protocolVersion];
    if (claimed === undefined) {
      const clientCapabilities = this.#legacyClient?.capabilities ?? {};
      return { id, method, params, meta, era: 'legacy', clientCapabilities, signal, reply, trace };
    }
    if (claimed !== MODERN_VERSION) {
      const data = { supported: [MODERN_VERSION], requested: claimed };
      throw new ProtocolError(UNSUPPORTED_VERSION, `Unsupported protocol version: ${String(claimed)}`, data);
    }
    const clientCapabilities = meta[META.clientCapabilities];
    if (!isObject(clientCapabilities)) {
      throw new ProtocolError(INVALID_PARAMS, `Invalid _meta envelope: ${META.clientCapabilities}: missing`);
    }
    return { id, method, params, meta, era: 'modern', clientCapabilities, signal, reply, trace };
  }

  #notified(method: string, rawParams: Buffer | undefined): void {
    if (method === 'notifications/cancelled') {
      const requestId = rawParams && scanObject(rawParams)?.get('requestId');
      for (const { call, abort } of this.#calls) if (requestId?.equals(call.id)) abort.abort();
    } else if (method === 'notifications/roots/list_changed') {
      for (const backend of this.#own?.backends ?? []) backend.notify(method, {});
    }
  }

  /** The latest call that a backend is handling. */
  #callAt(backend: Backend): Call | undefined {
    return [...this.#calls].findLast(({ call }) => call.backend === backend.config.name)?.call;
  }

  /** Forwards a question of an own backend to the call it is handling, or to the client. */
  #askedBy(
    backend: Backend,
    method: string,
    params: Buffer | undefined,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const call = this.#callAt(backend);
    if (call?.ask) return call.ask(method, params, signal);
    if (this.#legacyClient) return this.#questions.ask(this.#output, method, params, signal);
    return Promise.reject(new Error('no open call to ask'));
  }

  async #watch(call: Call, uri: string): Promise<void> {
    const name = resourceRoute(await this.catalog(call), uri)?.backend ?? '';
    const own = this.#own?.backends.get(name);
    const shared = this.gateway.backend(name);
    if (own) own.watch(uri);
    else if (shared) this.gateway.watch(this, uri, shared);
    else throw new ProtocolError(INVALID_PARAMS, `Unknown resource: ${uri}`);
  }

  #unwatch(uri: string): void {
    for (const backend of this.#own?.backends ?? []) backend.unwatch(uri);
    this.gateway.unwatch(this, uri);
  }

  /** Whether the client has its own backends. */
  get #hasOwn(): boolean {
    return this.#options.ownBackends !== undefined || this.gateway.configured('session').length > 0;
  }

  #clientOf({ era, meta }: Call): FrontClient {
    return { era, info: era === 'modern' ? meta[META.clientInfo] : this.#legacyClient?.info };
  }

  openOwnBackends(call: Call): void {
    if (this.#own || !this.#hasOwn) return;
    this.#own = new ClientBackends(this.gateway, {
      first: this.#options.ownBackends?.(this.#clientOf(call)) ?? [],
      clientCapabilities: call.clientCapabilities,
      events: {
        resourceUpdated: (uri) => this.resourceUpdated(uri),
        log: (backend, params) => this.logged(backend, params),
        ask: (backend, method, params, signal) => this.#askedBy(backend, method, params, signal),
      },
      listChanged: (list) => this.#listChanged(list),
    });
  }

  #listChanged(list: ListName): void {
    const method = `notifications/${list}/list_changed`;
    this.#tell(method, undefined);
    this.subscriptions.publish(method, {});
  }

  /** Only legacy clients get unsolicited messages; modern ones subscribe. */
  #tell(method: string, params: Record<string, unknown> | undefined): void {
    if (this.#legacyClient) this.#output.send(notificationMessage(method, params && toJson(params)));
  }
}
