import type { Lists } from '../catalog/catalog.ts';
import type { Endpoint } from '../config/backend-config.ts';
import { isObject, type JsonMembers, objectFrom, toJson } from '../json/raw-json.ts';
import { AnswerTooLarge, BackendBusy, BackendError, CallTimeout } from './failures.ts';
import type { NotificationLimit } from './notification-limit.ts';
import { reasonOf } from './reason.ts';
import type { BackendRpc, CallOptions, RpcEvents } from './rpc/backend-rpc.ts';
import { paramsFor } from './rpc/envelope.ts';
import { fetchList } from './rpc/fetch-lists.ts';
import type { Era, Negotiated } from './rpc/negotiate.ts';
import { closeWhenGivenUp, openRpc } from './rpc/open-rpc.ts';

interface ConnectedBackendEvents {
  /** Its lists or its problem changed. */
  changed(): void;
  closed(connected: ConnectedBackend, reason: string): void;
  isWatched(uri: string): boolean;
  resourceUpdated(uri: string): void;
  log(params: Buffer): void;
  ask: RpcEvents['request'];
}

export interface ConnectedBackendOptions {
  known: Era | undefined;
  clientCapabilities: Record<string, unknown>;
  timeoutMs: number;
  maxMessageBytes: number;
  maxBacklogBytes: number;
  /** Aborts connecting. */
  signal: AbortSignal;
  limit: NotificationLimit;
  events: ConnectedBackendEvents;
}

export interface ConnectedCall extends Omit<CallOptions, 'timeoutMs' | 'cancelByStream'> {
  /** Capabilities of the caller, sent with each request to a modern backend. */
  clientCapabilities: unknown;
}

export const NO_LISTS: Lists = { tools: [], prompts: [], resources: [], templates: [] };
const LIST_NAMES = ['tools', 'prompts', 'resources', 'templates'] as const;
const LISTS_CHANGED = new Map<string, readonly (keyof Lists)[]>([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/prompts/list_changed', ['prompts']],
  ['notifications/resources/list_changed', ['resources', 'templates']],
]);
const NO_PING = 'does not answer pings';
const FOREVER_MS = 2 ** 31 - 1;

/** A connected backend: its era, its lists and its notifications. */
export class ConnectedBackend {
  readonly #rpc: BackendRpc;
  readonly #negotiated: Negotiated;
  readonly #options: ConnectedBackendOptions;
  readonly #stale = new Set<keyof Lists>();
  #refreshing = false;
  #listening: AbortController | undefined;
  /** Problems by list, until the list is read again. `mayPass`: reading it again may help. */
  readonly #listProblems = new Map<keyof Lists, { reason: string; mayPass: boolean }>();
  #isSilent = false;
  lists: Lists = NO_LISTS;

  private constructor(rpc: BackendRpc, negotiated: Negotiated, options: ConnectedBackendOptions) {
    this.#rpc = rpc;
    this.#negotiated = negotiated;
    this.#options = options;
  }

  /** Connects, negotiates the era and reads the lists. Leaves nothing open on failure. */
  static async open(endpoint: Endpoint, options: ConnectedBackendOptions): Promise<ConnectedBackend> {
    const { events } = options;
    let connected: ConnectedBackend | undefined;
    const { rpc, negotiated } = await openRpc(endpoint, {
      ...options,
      events: {
        notification: (method, params) => {
          if (connected) connected.#notified(method, params);
        },
        progress: (id, deliver) => options.limit.passLatest(`progress ${id}`, deliver),
        request: async (method, params, signal) =>
          method === 'ping' ? toJson({}) : events.ask(method, params, signal),
      },
      closed: (_rpc, reason) => connected && events.closed(connected, reason),
    });
    const opened = new ConnectedBackend(rpc, negotiated, options);
    connected = opened;
    using _guard = closeWhenGivenUp(rpc, options.signal);
    try {
      opened.lists = { ...NO_LISTS, ...(await opened.#fetch(LIST_NAMES)) };
    } catch (error) {
      await rpc.close('the lists could not be read');
      throw error;
    }
    return opened;
  }

  /** What is wrong while it is connected. */
  get problem(): string | undefined {
    if (this.#isSilent) return NO_PING;
    return this.#listProblems.values().next().value?.reason;
  }

  get era(): Era {
    return this.#negotiated.era;
  }

  get capabilities(): Record<string, unknown> {
    return this.#negotiated.capabilities;
  }

  request(method: string, params: JsonMembers, call: ConnectedCall, timeoutMs: number): Promise<Buffer> {
    const answer = this.#rpc.request(method, paramsFor(this.era, params, call.clientCapabilities), {
      timeoutMs,
      signal: call.signal,
      onProgress: call.onProgress,
      headers: call.headers,
      cancelByStream: this.#cancelByStream,
    });
    return this.#isSilent ? this.#showsLife(answer) : answer;
  }

  notify(method: string, params: Record<string, unknown>): void {
    this.#rpc.notify(method, params);
  }

  async close(reason: string): Promise<void> {
    await this.#rpc.close(reason);
  }

  /**
   * Subscribes to changes of the lists and of these resources. Modern servers notify listeners only; a new filter
   * opens a new stream before the old one ends.
   */
  listen(uris: Iterable<string>): void {
    if (this.era === 'legacy') {
      for (const uri of uris) this.#ask('resources/subscribe', { uri });
      return;
    }
    const before = this.#listening;
    const abort = new AbortController();
    this.#listening = abort;
    const resourceSubscriptions = [...uris];
    const notifications = {
      ...(this.#tells('tools') ? { toolsListChanged: true } : {}),
      ...(this.#tells('prompts') ? { promptsListChanged: true } : {}),
      ...(this.#tells('resources') ? { resourcesListChanged: true } : {}),
      ...(resourceSubscriptions.length > 0 ? { resourceSubscriptions } : {}),
    };
    if (Object.keys(notifications).length > 0) {
      this.#ask('subscriptions/listen', { notifications }, FOREVER_MS, abort.signal);
    }
    before?.abort();
  }

  unlisten(uri: string, rest: Iterable<string>): void {
    if (this.era === 'modern') this.listen(rest);
    else this.#ask('resources/unsubscribe', { uri });
  }

  setLogLevel(level: string): void {
    if (this.era === 'legacy' && this.capabilities.logging !== undefined)
      this.#ask('logging/setLevel', { level });
  }

  /**
   * Pings the backend. Any answer counts, even "unknown method". Lists that could not be read are read again, so a
   * passing error does not stay in the status.
   */
  async check(timeoutMs: number): Promise<void> {
    const method = this.era === 'modern' ? 'server/discover' : 'ping';
    try {
      await this.request(method, new Map(), { clientCapabilities: {} }, timeoutMs);
    } catch (error) {
      this.#setSilent(error instanceof CallTimeout || error instanceof BackendBusy);
    }
    const unread = [...this.#listProblems].filter(([, { mayPass }]) => mayPass).map(([name]) => name);
    if (!this.#isSilent && unread.length > 0) await this.#refresh(unread);
  }

  async #showsLife(answer: Promise<Buffer>): Promise<Buffer> {
    const bytes = await answer;
    this.#setSilent(false);
    return bytes;
  }

  #setSilent(isSilent: boolean): void {
    if (isSilent === this.#isSilent) return;
    this.#isSilent = isSilent;
    this.#options.events.changed();
  }

  get #cancelByStream(): boolean {
    return this.era === 'modern' && this.#rpc.kind === 'http';
  }

  #tells(capability: string): boolean {
    const declared = this.capabilities[capability];
    return isObject(declared) && declared.listChanged === true;
  }

  /** Sends a request whose answer does not matter. A server that rejects it just lacks that feature. */
  #ask(
    method: string,
    params: Record<string, unknown>,
    timeoutMs = this.#options.timeoutMs,
    signal?: AbortSignal,
  ): void {
    const raw = new Map(Object.entries(params).map(([key, value]) => [key, toJson(value)]));
    this.request(method, raw, { clientCapabilities: {}, signal }, timeoutMs).catch(() => undefined);
  }

  /** One refresh at a time, so a flood of changes causes no flood of requests. */
  async #refresh(names: readonly (keyof Lists)[]): Promise<void> {
    for (const name of names) this.#stale.add(name);
    if (this.#refreshing) return;
    this.#refreshing = true;
    while (this.#stale.size > 0) {
      const wanted = [...this.#stale];
      this.#stale.clear();
      try {
        const fresh = await this.#fetch(wanted);
        this.lists = { ...this.lists, ...fresh };
      } catch (error) {
        for (const name of wanted) this.#listProblems.set(name, { reason: reasonOf(error), mayPass: true });
      }
      this.#options.events.changed();
    }
    this.#refreshing = false;
  }

  async #fetch(names: readonly (keyof Lists)[]): Promise<Partial<Lists>> {
    const fetched = names.map(async (name) => {
      const list = await fetchList(this.#rpc, this.#negotiated, name, this.#options.timeoutMs).catch(
        (error: unknown) => {
          // An error in place of a list degrades the backend; "method not found" just means an empty list.
          if (error instanceof AnswerTooLarge)
            return { items: [], problem: `The list of ${name} is not used: ${reasonOf(error)}` };
          if (!(error instanceof BackendError)) throw error;
          return error.code === -32601
            ? { items: [] }
            : { items: [], problem: reasonOf(error), mayPass: true };
        },
      );
      const { items, problem, mayPass = false } = list;
      if (problem === undefined) this.#listProblems.delete(name);
      else this.#listProblems.set(name, { reason: problem, mayPass });
      return [name, items] as const;
    });
    return Object.fromEntries(await Promise.all(fetched));
  }

  #notified(method: string, params: Buffer | undefined): void {
    const { limit, events } = this.#options;
    const lists = LISTS_CHANGED.get(method);
    if (lists) limit.passLatest(method, () => void this.#refresh(lists));
    else if (method === 'notifications/resources/updated') {
      const uri = objectFrom(params)?.uri;
      if (typeof uri === 'string' && events.isWatched(uri))
        limit.passLatest(`updated ${uri}`, () => events.resourceUpdated(uri));
    } else if (method === 'notifications/message' && params) limit.pass(() => events.log(params));
  }
}
