import type { BackendEvents } from '../../backend/backend.ts';
import { BackendSet } from '../../backend/backend-set.ts';
import type { ConfiguredBackend } from '../../config/load.ts';
import { ServerLog } from '../../log/server-log.ts';
import type { GatewayHost, OwnBackends } from './context.ts';
import { type ListName, LiveCatalog } from './live-catalog.ts';

interface ClientBackendsOptions {
  /** Backends of this client only, listed before the configured ones. */
  first: ConfiguredBackend[];
  clientCapabilities: Record<string, unknown>;
  /** Their messages go to this client only. */
  events: Pick<BackendEvents, 'resourceUpdated' | 'log' | 'ask'>;
  listChanged(list: ListName): void;
}

/** The backends of one client, and a catalog that includes them. */
export class ClientBackends implements OwnBackends {
  readonly backends: BackendSet;
  readonly catalog: LiveCatalog;
  readonly #gateway: GatewayHost;
  readonly #first: ConfiguredBackend[];

  constructor(gateway: GatewayHost, options: ClientBackendsOptions) {
    const { first, clientCapabilities, events, listChanged } = options;
    this.#gateway = gateway;
    this.#first = first;
    const log = new ServerLog(() => gateway.servers('session', this), gateway.log);
    const changed = () => {
      this.catalog.invalidate();
      log.changed();
    };
    this.backends = new BackendSet({
      limits: gateway.limits,
      events: { ...gateway.backendEvents(changed), ...events },
      recall: (entry) => gateway.recall(entry),
      clientCapabilities,
    });
    this.catalog = new LiveCatalog(
      () => gateway.sources(this.backends, first),
      gateway.ownTools,
      listChanged,
    );
    this.configurationChanged();
  }

  configurationChanged(): void {
    this.backends.apply([...this.#first, ...this.#gateway.configured('session')]);
    this.catalog.invalidate();
  }
}
