import type { Lists } from '../catalog/catalog.ts';
import type { BackendConfig } from '../config/backend-config.ts';
import { isObject, type JsonMembers, objectFrom, toJson } from '../json/raw-json.ts';
import {
  BackendError,
  type CallOptions,
  CallTimeout,
  type Connection,
  ConnectionLost,
} from './connection.ts';
import { fetchList } from './fetch-lists.ts';
import { type Era, envelope, META, type Negotiated } from './negotiate.ts';
import { openConnection } from './open-connection.ts';

export type Health = 'healthy' | 'degraded' | 'failed' | 'unknown';

/** What the gateway knew of a backend before connecting to it. */
export interface Remembered {
  era: Era;
  lists: Lists;
}

export interface BackendEvents {
  /** Its lists, its connection or its health are not what they were. */
  changed(backend: Backend): void;
  resourceUpdated(uri: string): void;
  log(backend: Backend, params: Buffer): void;
  /** A request of the backend to whoever called it: sampling, elicitation, roots. */
  ask(backend: Backend, method: string, params: Buffer | undefined, signal: AbortSignal): Promise<Buffer>;
}

export interface BackendLimits {
  maxMessageBytes: number;
  /** First wait before reconnecting; it doubles with each failure up to five minutes. */
  reconnectMs: number;
  connectMs: number;
  /** How long a call waits for a backend that has to be connected first. */
  callConnectMs: number;
}

export interface Answer {
  bytes: Buffer;
  era: Era;
}

export interface BackendCall extends Omit<CallOptions, 'timeoutMs' | 'cancelByStream'> {
  /** Running it twice does no harm: it may be repeated even if it was written already. */
  repeatable: boolean;
  /** The caller's own capabilities, which a modern backend is told with each request. */
  clientCapabilities: unknown;
}

const NO_LISTS: Lists = { tools: [], prompts: [], resources: [], templates: [] };
const LIST_NAMES = ['tools', 'prompts', 'resources', 'templates'] as const;
const MAX_RECONNECT_MS = 300_000;
const CHECK_MS = 30_000;
const FOREVER_MS = 2 ** 31 - 1;
/** A retired backend may finish its calls for this long. */
const DRAIN_MS = 30_000;

/** One MCP server: connects, stays connected, and answers calls. It never throws because of the server's behaviour. */
export class Backend {
  readonly config: BackendConfig;
  readonly #limits: BackendLimits;
  readonly #events: BackendEvents;
  readonly #clientCapabilities: Record<string, unknown>;
  #era: Era | undefined;
  #lists: Lists;
  #connection: Connection | undefined;
  #negotiated: Negotiated | undefined;
  #connecting: Promise<void> | undefined;
  #attempted = false;
  #problem: string | undefined;
  #failures = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  #checkTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #calls = 0;
  #stopped = false;
  #logLevel: string | undefined;
  #listening: AbortController | undefined;
  readonly #watchedUris = new Set<string>();

  constructor(
    config: BackendConfig,
    limits: BackendLimits,
    events: BackendEvents,
    options: { remembered?: Remembered | undefined; clientCapabilities?: Record<string, unknown> } = {},
  ) {
    this.config = config;
    this.#limits = limits;
    this.#events = events;
    this.#era = options.remembered?.era;
    this.#lists = options.remembered?.lists ?? NO_LISTS;
    this.#clientCapabilities = options.clientCapabilities ?? {};
  }

  get lists(): Lists {
    return this.#lists;
  }
  /** Its lists are known, from the server or from the last time. */
  get known(): boolean {
    return this.#lists !== NO_LISTS;
  }
  get era(): Era | undefined {
    return this.#era;
  }
  get connected(): boolean {
    return this.#negotiated !== undefined;
  }
  get capabilities(): Record<string, unknown> {
    return this.#negotiated?.capabilities ?? {};
  }
  /** The reason of the last failure, or what is wrong with the lists. */
  get problem(): string | undefined {
    return this.#problem;
  }
  get health(): Health {
    if (this.connected) return this.#problem === undefined ? 'healthy' : 'degraded';
    return this.#attempted && this.#problem !== undefined ? 'failed' : 'unknown';
  }

  /** Connects now, unless the backend is lazy and its tools are known already. Resolves when that is settled. */
  async start(): Promise<void> {
    if (this.#stopped || (this.config.lazy && this.known)) return;
    await this.#connect(this.#limits.connectMs).catch(() => undefined /* kept as the problem, and retried */);
  }

  /** A problem of the configuration itself: the backend is shown, but never started. */
  refuse(problem: string): void {
    this.#attempted = true;
    this.#stopped = true;
    this.#problem = problem;
  }

  /** Closes and connects again, as a person asked for it. Failure is told by health and problem. */
  async reconnect(): Promise<void> {
    this.#failures = 0;
    await this.#disconnect('reconnecting');
    await this.#connect(this.#limits.callConnectMs).catch(() => undefined);
  }

  /** Ends the backend: no new calls; those in flight may finish, within limits, unless `now`. */
  async stop(now = false): Promise<void> {
    this.#stopped = true;
    const deadline = Date.now() + (now ? 0 : DRAIN_MS);
    while (this.#calls > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    await this.#disconnect('the backend was removed');
  }

  /** Forwards a request. Connects first if need be; repeats it once if that is certain to do no harm. */
  async call(method: string, params: JsonMembers, options: BackendCall): Promise<Answer> {
    this.#calls++;
    clearTimeout(this.#idleTimer);
    try {
      try {
        return await this.#callOnce(method, params, options);
      } catch (error) {
        const again = error instanceof ConnectionLost && (!error.written || options.repeatable);
        if (!again || this.#stopped || options.signal?.aborted) throw error;
        return await this.#callOnce(method, params, options);
      }
    } finally {
      this.#calls--;
      this.#armIdleStop();
    }
  }

  notify(method: string, params: Record<string, unknown>): void {
    if (this.connected) this.#connection?.notify(method, params);
  }

  /** Asks for updates of a resource, in the way of the backend's era. */
  async watch(uri: string): Promise<void> {
    this.#watchedUris.add(uri);
    if (this.#era === 'modern') this.#listen();
    else await this.call('resources/subscribe', new Map([['uri', toJson(uri)]]), QUIET);
  }

  async unwatch(uri: string): Promise<void> {
    if (!this.#watchedUris.delete(uri) || !this.connected) return;
    if (this.#era === 'modern') this.#listen();
    else await this.call('resources/unsubscribe', new Map([['uri', toJson(uri)]]), QUIET);
  }

  /** How much the backend should log, now and after each reconnect. */
  setLogLevel(level: string): void {
    this.#logLevel = level;
    if (this.#connection && this.connected) this.#restore(this.#connection);
  }

  async #callOnce(method: string, params: JsonMembers, options: BackendCall): Promise<Answer> {
    if (!this.#negotiated) await this.#connectInTime(options.signal);
    const connection = this.#connection;
    const era = this.#negotiated?.era;
    if (!connection || !era) throw new ConnectionLost(this.#problem ?? 'not connected', false);
    const sent =
      era === 'modern' ? withEnvelope(params, options.clientCapabilities) : withoutEnvelope(params);
    const bytes = await connection.request(method, sent, {
      timeoutMs: this.config.timeoutMs,
      signal: options.signal,
      onProgress: options.onProgress,
      headers: options.headers,
      cancelByStream: era === 'modern' && connection.kind === 'http',
    });
    return { bytes, era };
  }

  /** A call waits for a connection only so long; the attempt itself goes on behind it. */
  async #connectInTime(signal: AbortSignal | undefined): Promise<void> {
    if (this.#stopped) throw new ConnectionLost(this.#problem ?? 'the backend was removed', false);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const giveUp = () => reject(new ConnectionLost(this.#problem ?? 'it did not connect in time', false));
      timer = setTimeout(giveUp, this.#limits.callConnectMs);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
    try {
      await Promise.race([this.#connect(this.#limits.connectMs), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** One attempt at a time, shared by all who wait for it. */
  #connect(timeoutMs: number): Promise<void> {
    if (this.#negotiated) return Promise.resolve();
    this.#connecting ??= this.#attempt(timeoutMs).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #attempt(timeoutMs: number): Promise<void> {
    clearTimeout(this.#retryTimer);
    this.#attempted = true;
    try {
      await this.#open(timeoutMs);
      this.#failures = 0;
    } catch (error) {
      this.#problem = describe(error);
      this.#scheduleRetry();
      this.#events.changed(this);
      throw new ConnectionLost(this.#problem, false);
    }
  }

  async #open(timeoutMs: number): Promise<void> {
    const { connection, negotiated } = await openConnection(this.config.endpoint, {
      known: this.#era,
      clientCapabilities: this.#clientCapabilities,
      timeoutMs,
      maxMessageBytes: this.#limits.maxMessageBytes,
      events: {
        notification: (method, params) => this.#notified(method, params),
        request: async (method, params, signal) =>
          method === 'ping' ? toJson({}) : this.#events.ask(this, method, params, signal),
      },
      closed: (connection, reason) => this.#lost(connection, reason),
    });
    if (this.#stopped) {
      await connection.close('the backend was removed');
      throw new Error('the backend was removed');
    }
    this.#connection = connection;
    this.#era = negotiated.era;
    this.#problem = undefined;
    const lists = await this.#fetchLists(connection, negotiated, LIST_NAMES, timeoutMs).catch(
      async (error: unknown) => {
        this.#connection = undefined;
        await connection.close('the lists could not be read');
        throw error;
      },
    );
    this.#lists = { ...NO_LISTS, ...lists };
    this.#negotiated = negotiated;
    this.#listen();
    this.#restore(connection);
    this.#armIdleStop();
    this.#checkTimer = setInterval(() => void this.#check(connection), CHECK_MS);
    this.#checkTimer.unref();
    this.#events.changed(this);
  }

  /** What the callers had asked for on the connection before. */
  #restore(connection: Connection): void {
    if (this.#era === 'modern') return;
    const options = { timeoutMs: this.#limits.callConnectMs };
    const ignore = () => undefined; // a server that refuses loses nothing else
    for (const uri of this.#watchedUris) {
      connection.request('resources/subscribe', new Map([['uri', toJson(uri)]]), options).catch(ignore);
    }
    if (this.#logLevel === undefined || this.capabilities.logging === undefined) return;
    connection
      .request('logging/setLevel', new Map([['level', toJson(this.#logLevel)]]), options)
      .catch(ignore);
  }

  async #fetchLists(
    connection: Connection,
    negotiated: Negotiated,
    names: readonly (keyof Lists)[],
    timeoutMs: number,
  ): Promise<Partial<Lists>> {
    const fetched = await Promise.all(
      names.map(async (name) => {
        const { items, problem } = await fetchList(connection, negotiated, name, timeoutMs).catch(
          (error: unknown) => {
            // An error in place of a list is a flaw of the backend, not the end of it.
            if (error instanceof BackendError) return { items: [], problem: missingMethod(name, error) };
            throw error;
          },
        );
        if (problem !== undefined) this.#problem = problem;
        return [name, items] as const;
      }),
    );
    return Object.fromEntries(fetched);
  }

  async #refresh(names: readonly (keyof Lists)[]): Promise<void> {
    const connection = this.#connection;
    const negotiated = this.#negotiated;
    if (!connection || !negotiated) return;
    this.#problem = undefined;
    try {
      this.#lists = {
        ...this.#lists,
        ...(await this.#fetchLists(connection, negotiated, names, this.#limits.connectMs)),
      };
    } catch (error) {
      this.#problem = describe(error);
    }
    this.#events.changed(this);
  }

  #notified(method: string, params: Buffer | undefined): void {
    if (method === 'notifications/tools/list_changed') void this.#refresh(['tools']);
    else if (method === 'notifications/prompts/list_changed') void this.#refresh(['prompts']);
    else if (method === 'notifications/resources/list_changed')
      void this.#refresh(['resources', 'templates']);
    else if (method === 'notifications/resources/updated') {
      const uri = objectFrom(params)?.uri;
      if (typeof uri === 'string') this.#events.resourceUpdated(uri);
    } else if (method === 'notifications/message' && params) this.#events.log(this, params);
  }

  /** Modern servers tell changes only to those who listen. A new filter opens a new stream before the old one ends. */
  #listen(): void {
    const connection = this.#connection;
    if (!connection || this.#negotiated?.era !== 'modern') return;
    const before = this.#listening;
    const abort = new AbortController();
    this.#listening = abort;
    const has = (name: string) =>
      isObject(this.capabilities[name]) && this.capabilities[name].listChanged === true;
    const notifications = {
      ...(has('tools') ? { toolsListChanged: true } : {}),
      ...(has('prompts') ? { promptsListChanged: true } : {}),
      ...(has('resources') ? { resourcesListChanged: true } : {}),
      ...(this.#watchedUris.size > 0 ? { resourceSubscriptions: [...this.#watchedUris] } : {}),
    };
    if (Object.keys(notifications).length > 0) {
      const params = new Map([
        ['notifications', toJson(notifications)],
        ['_meta', toJson(envelope({}))],
      ]);
      const options = {
        timeoutMs: FOREVER_MS,
        signal: abort.signal,
        cancelByStream: connection.kind === 'http',
      };
      connection
        .request('subscriptions/listen', params, options)
        .catch(() => undefined /* ends with the connection */);
    }
    before?.abort();
  }

  /** Asks a quiet backend whether it is still there. */
  async #check(connection: Connection): Promise<void> {
    if (this.#calls > 0 || connection !== this.#connection) return;
    const modern = this.#negotiated?.era === 'modern';
    const params = new Map(modern ? [['_meta', toJson(envelope({}))]] : []);
    try {
      await connection.request(modern ? 'server/discover' : 'ping', params, {
        timeoutMs: this.#limits.callConnectMs,
      });
      if (this.#problem !== NO_PING) return;
      this.#problem = undefined;
    } catch (error) {
      // Any answer shows life, also "unknown method".
      if (error instanceof BackendError || !(error instanceof CallTimeout)) return;
      this.#problem = NO_PING;
    }
    this.#events.changed(this);
  }

  #lost(connection: Connection, reason: string): void {
    if (connection !== this.#connection) return;
    this.#forgetConnection();
    this.#problem = reason;
    this.#scheduleRetry();
    this.#events.changed(this);
  }

  async #disconnect(reason: string): Promise<void> {
    clearTimeout(this.#retryTimer);
    const connection = this.#connection;
    this.#forgetConnection();
    await connection?.close(reason);
  }

  #forgetConnection(): void {
    clearInterval(this.#checkTimer);
    clearTimeout(this.#idleTimer);
    this.#connection = undefined;
    this.#negotiated = undefined;
    this.#listening = undefined;
  }

  #scheduleRetry(): void {
    if (this.#stopped) return;
    const base = Math.min(this.#limits.reconnectMs * 2 ** this.#failures++, MAX_RECONNECT_MS);
    // Jitter keeps many gateways from knocking at the same moment after an outage.
    const wait = base * (1 + Math.random() / 4);
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(
      () => void this.#connect(this.#limits.connectMs).catch(() => undefined),
      wait,
    );
    this.#retryTimer.unref();
  }

  #armIdleStop(): void {
    clearTimeout(this.#idleTimer);
    if (this.config.idleStopMs === 0 || this.#calls > 0 || !this.connected) return;
    this.#idleTimer = setTimeout(() => {
      this.#attempted = false;
      void this.#disconnect('idle').then(() => this.#events.changed(this));
    }, this.config.idleStopMs);
    this.#idleTimer.unref();
  }
}

const NO_PING = 'does not answer pings';
const QUIET: BackendCall = { repeatable: true, clientCapabilities: {} };

function withEnvelope(params: JsonMembers, clientCapabilities: unknown): JsonMembers {
  const meta = objectFrom(params.get('_meta')) ?? {};
  return new Map(params).set('_meta', toJson({ ...meta, ...envelope(clientCapabilities ?? {}) }));
}

/** What a modern caller says about itself means nothing to an older server, and misleads its transport. */
function withoutEnvelope(params: JsonMembers): JsonMembers {
  const raw = params.get('_meta');
  if (!raw?.includes(META.protocolVersion)) return params;
  const meta = Object.entries(objectFrom(raw) ?? {}).filter(([key]) => !ENVELOPE_KEYS.includes(key));
  return new Map(params).set('_meta', toJson(Object.fromEntries(meta)));
}

const ENVELOPE_KEYS: string[] = Object.values(META);

/** A server without a method it never announced is in order; without tools it is not. */
const missingMethod = (list: keyof Lists, error: BackendError): string | undefined =>
  list === 'tools' && error.code === -32601 ? undefined : error.message;

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
