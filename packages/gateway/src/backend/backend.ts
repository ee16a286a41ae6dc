import type { Lists } from '../catalog/catalog.ts';
import { withoutSecrets } from '../config/address.ts';
import type { BackendConfig } from '../config/backend-config.ts';
import type { JsonMembers } from '../json/raw-json.ts';
import { ConnectedBackend, type ConnectedCall, NO_LISTS } from './connected-backend.ts';
import { ConnectionLost, NotConnected } from './failures.ts';
import type { Health } from './health.ts';
import type { BackendLimits } from './limits.ts';
import { NotificationLimit } from './notification-limit.ts';
import { reasonOf } from './reason.ts';
import { RetryTimer } from './retry-timer.ts';
import type { Era } from './rpc/negotiate.ts';
import { StandingRequests } from './standing-requests.ts';

/** What the gateway knows about a backend before connecting to it. */
export interface Remembered {
  era: Era;
  lists: Lists;
}

export interface BackendEvents {
  /** Its lists, connection or health changed. */
  changed(backend: Backend): void;
  /** An attempt to connect failed. */
  notConnected(backend: Backend): void;
  resourceUpdated(uri: string): void;
  log(backend: Backend, params: Buffer): void;
  /** It exceeds its notification limit. */
  tooLoud(backend: Backend): void;
  /** A request from the backend to its caller: sampling, elicitation, roots. */
  ask(backend: Backend, method: string, params: Buffer | undefined, signal: AbortSignal): Promise<Buffer>;
}

export interface BackendCall extends ConnectedCall {
  /** Running it twice is harmless, so it may be repeated even after it was written. */
  repeatable: boolean;
}

export interface Answer {
  bytes: Buffer;
  era: Era;
}

const CHECK_MS = 30_000;
/** How long a removed backend may take to finish its calls. */
const DRAIN_MS = 30_000;

/** One MCP server: connects, reconnects and answers calls. Its failures never affect other backends. */
export class Backend {
  readonly config: BackendConfig;
  readonly #limits: BackendLimits;
  readonly #events: BackendEvents;
  readonly #clientCapabilities: Record<string, unknown>;
  readonly #retry: RetryTimer;
  readonly #limit: NotificationLimit;
  #era: Era | undefined;
  #lists: Lists;
  #connected: ConnectedBackend | undefined;
  #connecting: Promise<void> | undefined;
  /** Aborts the current attempt to connect. */
  #abandon = new AbortController();
  /** Why the last attempt failed or the last connection ended. */
  #failure: string | undefined;
  #checkTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #calls = 0;
  #quiet: (() => void) | undefined;
  #stopped = false;
  readonly #standing: StandingRequests;

  constructor(
    config: BackendConfig,
    limits: BackendLimits,
    events: BackendEvents,
    options: {
      remembered?: Remembered | undefined;
      clientCapabilities?: Record<string, unknown>;
      /** The backend it replaces; its standing requests carry over. */
      replaced?: Backend | undefined;
    } = {},
  ) {
    this.config = config;
    this.#limits = limits;
    this.#events = events;
    this.#era = options.remembered?.era;
    this.#lists = options.remembered?.lists ?? NO_LISTS;
    this.#clientCapabilities = options.clientCapabilities ?? {};
    this.#retry = new RetryTimer(limits.reconnectMs, () => void this.start());
    this.#limit = new NotificationLimit(config.notificationsPerSecond, () => events.tooLoud(this));
    this.#standing = new StandingRequests(options.replaced ? options.replaced.#standing : undefined);
  }

  get lists(): Lists {
    return this.#connected?.lists ?? this.#lists;
  }
  /** Its lists are known, from the server or from an earlier connection. */
  get known(): boolean {
    return this.lists !== NO_LISTS;
  }
  get era(): Era | undefined {
    return this.#era;
  }
  get connected(): boolean {
    return this.#connected !== undefined;
  }
  /** Why it is not connected, or what is wrong while it is. */
  get problem(): string | undefined {
    const problem = this.#connected ? this.#connected.problem : this.#failure;
    return problem && withoutSecrets(problem, this.config.secrets);
  }
  /** Number of its notifications that were dropped. */
  get droppedNotifications(): number {
    return this.#limit.dropped;
  }
  get health(): Health {
    if (this.#connected) return this.problem === undefined ? 'healthy' : 'degraded';
    if (this.#failure !== undefined) return 'failed';
    return this.#connecting ? 'connecting' : 'unknown';
  }

  /** Connects now, unless the backend is lazy, known and not watched. Resolves when the attempt has ended. */
  async start(): Promise<void> {
    const canWait = this.config.lazy && this.known && this.#standing.watchedUris.size === 0;
    if (this.#stopped || canWait) return;
    await this.#connect(this.#limits.connectMs).catch(
      () => undefined /* recorded as the failure and retried */,
    );
  }

  /** Resolves when the current attempt has ended, or after `timeoutMs`. */
  async attempted(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.#connecting?.catch(() => undefined /* recorded as the failure */), late]);
    clearTimeout(timer);
  }

  /** Marks an entry that cannot run: it is listed as failed and never started. */
  refuse(problem: string): void {
    this.#stopped = true;
    this.#failure = problem;
  }

  /** Closes and connects again, on request of a person. The outcome is in `health` and `problem`. */
  async reconnect(): Promise<void> {
    if (this.#stopped) return;
    await this.#disconnect('it is being reconnected');
    this.#failure = undefined;
    await this.#connect(this.#limits.callConnectMs).catch(() => undefined /* recorded as the failure */);
  }

  /** Stops the backend. Calls in flight may finish within a time limit, unless `now`. */
  async stop(now = false): Promise<void> {
    this.#stopped = true;
    if (!now && this.#calls > 0) {
      await new Promise<void>((resolve) => {
        this.#quiet = resolve;
        setTimeout(resolve, DRAIN_MS).unref();
      });
    }
    this.#limit.close();
    await this.#disconnect('the backend was removed');
  }

  /** Forwards a request. Connects first if necessary, and retries once if that is certainly harmless. */
  async call(method: string, params: JsonMembers, options: BackendCall): Promise<Answer> {
    this.#calls++;
    try {
      return await this.#request(method, params, options).catch((error: unknown) => {
        // Do not retry a connection that just failed; report it at once.
        const wasLost = error instanceof ConnectionLost && !(error instanceof NotConnected);
        const again = wasLost && (!error.written || options.repeatable);
        if (!again || this.#stopped || options.signal?.aborted) throw error;
        return this.#request(method, params, options);
      });
    } catch (error) {
      throw this.#tellable(error);
    } finally {
      this.#calls--;
      if (this.#calls === 0) this.#becameQuiet();
    }
  }

  notify(method: string, params: Record<string, unknown>): void {
    this.#connected?.notify(method, params);
  }

  /** Subscribes to a resource, now and after each reconnect. A watched backend stays connected. */
  watch(uri: string): void {
    if (this.#standing.watchedUris.has(uri)) return;
    this.#standing.watchedUris.add(uri);
    clearTimeout(this.#idleTimer);
    if (this.#connected)
      this.#connected.listen(this.#connected.era === 'modern' ? this.#standing.watchedUris : [uri]);
    else void this.start();
  }

  unwatch(uri: string): void {
    if (!this.#standing.watchedUris.delete(uri)) return;
    this.#connected?.unlisten(uri, this.#standing.watchedUris);
    this.#armIdleStop();
  }

  /** Sets the log level of the backend, now and after each reconnect. */
  setLogLevel(level: string): void {
    if (level === this.#standing.logLevel) return;
    this.#standing.logLevel = level;
    this.#connected?.setLogLevel(level);
  }

  async #request(method: string, params: JsonMembers, options: BackendCall): Promise<Answer> {
    const connected = this.#connected ?? (await this.#connectedInTime(options.signal));
    return {
      bytes: await connected.request(method, params, options, this.config.timeoutMs),
      era: connected.era,
    };
  }

  /** Removes secrets from an error before clients see it. */
  #tellable(error: unknown): unknown {
    if (error instanceof Error) error.message = withoutSecrets(error.message, this.config.secrets);
    return error;
  }

  /** A call waits a limited time for a connection. The attempt itself continues. */
  async #connectedInTime(signal: AbortSignal | undefined): Promise<ConnectedBackend> {
    const lost = () => new NotConnected(this.#failure ?? 'it did not connect in time');
    if (this.#stopped) throw lost();
    const late = Promise.withResolvers<never>();
    const giveUp = () => late.reject(lost());
    const timer = setTimeout(giveUp, this.#limits.callConnectMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await Promise.race([this.#connect(this.#limits.connectMs), late.promise]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    }
    if (!this.#connected) throw lost();
    return this.#connected;
  }

  /** One attempt at a time, shared by all callers. */
  #connect(timeoutMs: number): Promise<void> {
    if (this.#connected) return Promise.resolve();
    this.#connecting ??= this.#attempt(timeoutMs).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #attempt(timeoutMs: number): Promise<void> {
    const abandon = new AbortController();
    this.#abandon = abandon;
    try {
      const connected = await ConnectedBackend.open(this.config.endpoint, {
        signal: abandon.signal,
        known: this.#era,
        clientCapabilities: this.#clientCapabilities,
        timeoutMs,
        maxMessageBytes: this.#limits.maxMessageBytes,
        maxBacklogBytes: this.#limits.maxBacklogBytes,
        limit: this.#limit,
        events: {
          changed: () => this.#events.changed(this),
          closed: (closed, reason) => this.#lost(closed, reason),
          isWatched: (uri) => this.#standing.watchedUris.has(uri),
          resourceUpdated: (uri) => this.#events.resourceUpdated(uri),
          log: (params) => this.#events.log(this, params),
          ask: (method, params, signal) => this.#events.ask(this, method, params, signal),
        },
      });
      await this.#adopt(connected);
    } catch (error) {
      // An attempt that we aborted says nothing about the backend.
      if (abandon.signal.aborted) throw new ConnectionLost(reasonOf(abandon.signal.reason), false);
      const reason = reasonOf(error);
      const isNew = reason !== this.#failure;
      this.#failure = reason;
      if (!this.#stopped) this.#retry.schedule();
      this.#events.notConnected(this);
      // A backend that stays away is retried often; nobody needs to hear the same reason each time.
      if (isNew) this.#events.changed(this);
      throw new NotConnected(reason, { cause: error });
    }
  }

  async #adopt(connected: ConnectedBackend): Promise<void> {
    if (this.#stopped) {
      await connected.close('the backend was removed');
      throw new Error('the backend was removed');
    }
    this.#connected = connected;
    this.#era = connected.era;
    this.#failure = undefined;
    this.#retry.cancel();
    this.#standing.repeatOn(connected);
    this.#armIdleStop();
    this.#checkTimer = setInterval(() => {
      if (this.#calls === 0) void connected.check(this.#limits.callConnectMs);
    }, CHECK_MS);
    this.#checkTimer.unref();
    this.#events.changed(this);
  }

  #lost(connected: ConnectedBackend, reason: string): void {
    if (connected !== this.#connected) return;
    this.#forget();
    this.#failure = reasonOf(reason);
    if (!this.#stopped) this.#retry.schedule();
    this.#events.changed(this);
  }

  async #disconnect(reason: string): Promise<void> {
    this.#abandon.abort(new Error(reason));
    await this.#connecting?.catch(() => undefined /* aborted above */);
    this.#retry.cancel();
    const connected = this.#connected;
    this.#forget();
    await connected?.close(reason);
  }

  /** Keeps the lists: its tools stay listed while it is disconnected. */
  #forget(): void {
    clearInterval(this.#checkTimer);
    clearTimeout(this.#idleTimer);
    this.#lists = this.lists;
    this.#connected = undefined;
  }

  #becameQuiet(): void {
    this.#quiet?.();
    this.#armIdleStop();
  }

  #armIdleStop(): void {
    clearTimeout(this.#idleTimer);
    const isBusy = this.#calls > 0 || this.#standing.watchedUris.size > 0;
    if (this.config.idleStopMs === 0 || isBusy || !this.#connected) return;
    this.#idleTimer = setTimeout(() => {
      if (this.#calls === 0) void this.#disconnect('idle').then(() => this.#events.changed(this));
    }, this.config.idleStopMs);
    this.#idleTimer.unref();
  }
}
