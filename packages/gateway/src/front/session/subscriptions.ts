import { IDENTITY, META } from '../../backend/rpc/negotiate.ts';
import { objectFrom, toJson } from '../../json/raw-json.ts';
import type { Call } from './call.ts';
import { INVALID_PARAMS, notificationMessage, ProtocolError } from './messages.ts';

interface Filter {
  toolsListChanged?: true;
  promptsListChanged?: true;
  resourcesListChanged?: true;
  resourceSubscriptions?: string[];
}

const LIST_FLAGS: Record<string, 'toolsListChanged' | 'promptsListChanged' | 'resourcesListChanged'> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
};

/** Reaches the backend that serves a resource. */
interface Watching {
  watch(call: Call, uri: string): Promise<void>;
  unwatch(uri: string): void;
}

/** Subscriptions of a client: single resources in the legacy era, filtered streams in the modern one. */
export class Subscriptions {
  readonly #watching: Watching;
  readonly #resources = new Set<string>();
  readonly #streams = new Map<Call, { filter: Filter; end: () => void }>();

  constructor(watching: Watching) {
    this.#watching = watching;
  }

  watchesLegacy(uri: string): boolean {
    return this.#resources.has(uri);
  }

  async subscribe(call: Call, uri: string): Promise<void> {
    await this.#watching.watch(call, uri);
    this.#resources.add(uri);
  }

  unsubscribe(uri: string): void {
    this.#resources.delete(uri);
    this.#unwatchUnused([uri]);
  }

  /** Serves `subscriptions/listen`: acknowledges at once, answers when we end the stream. */
  async listen(call: Call): Promise<Buffer> {
    const asked = objectFrom(call.params.get('notifications'));
    if (!asked) throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'notifications' is required");
    const filter = toFilter(asked);
    const subscriptionId: unknown = JSON.parse(call.id.toString());
    const goodbye = toJson({
      resultType: 'complete',
      _meta: { [META.subscriptionId]: subscriptionId, [META.serverInfo]: IDENTITY },
    });
    const ended = Promise.withResolvers<void>();
    this.#streams.set(call, { filter, end: ended.resolve });
    this.#send(call, 'notifications/subscriptions/acknowledged', { notifications: filter });
    if (Object.keys(filter).length === 0) ended.resolve();
    call.signal.addEventListener('abort', () => ended.resolve(), { once: true });
    for (const uri of filter.resourceSubscriptions ?? []) {
      // An unknown resource does not affect the other subscriptions of the stream.
      await this.#watching.watch(call, uri).catch(() => undefined);
    }
    await ended.promise;
    this.#streams.delete(call);
    this.#unwatchUnused(filter.resourceSubscriptions ?? []);
    return goodbye;
  }

  /** Sends a change to the streams that asked for it. */
  publish(method: string, params: Record<string, unknown>): void {
    const flag = LIST_FLAGS[method];
    for (const [call, { filter }] of this.#streams) {
      const uri = params.uri;
      const wanted = flag
        ? filter[flag]
        : typeof uri === 'string' && filter.resourceSubscriptions?.includes(uri);
      if (wanted) this.#send(call, method, params);
    }
  }

  close(): void {
    for (const { end } of this.#streams.values()) end();
  }

  #send(call: Call, method: string, params: Record<string, unknown>): void {
    const subscriptionId: unknown = JSON.parse(call.id.toString());
    call.reply.send(
      notificationMessage(method, toJson({ ...params, _meta: { [META.subscriptionId]: subscriptionId } })),
    );
  }

  #unwatchUnused(uris: string[]): void {
    for (const uri of uris) {
      const used =
        this.#resources.has(uri) ||
        [...this.#streams.values()].some(({ filter }) => filter.resourceSubscriptions?.includes(uri));
      if (!used) this.#watching.unwatch(uri);
    }
  }
}

function toFilter(asked: Record<string, unknown>): Filter {
  const uris = asked.resourceSubscriptions;
  const filter: Filter = {};
  for (const flag of Object.values(LIST_FLAGS)) if (asked[flag] === true) filter[flag] = true;
  if (Array.isArray(uris) && uris.length > 0) {
    filter.resourceSubscriptions = uris.filter((uri): uri is string => typeof uri === 'string').slice(0, 100);
  }
  return filter;
}
