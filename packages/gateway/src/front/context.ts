import type { Backend, BackendEvents, BackendLimits, Remembered } from '../backend/backend.ts';
import type { BackendSet } from '../backend/backend-set.ts';
import type { Catalog, CatalogSource } from '../catalog/catalog.ts';
import type { Definition } from '../catalog/validate-tool.ts';
import type { ConfiguredBackend } from '../config/load.ts';
import type { Call } from './call.ts';
import type { Forwarder } from './forward.ts';
import type { LiveCatalog } from './live-catalog.ts';
import type { GatewayStatus } from './status.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Who is told that a resource changed. */
export interface ResourceWatcher {
  resourceUpdated(uri: string): void;
}

/** The backends of scope `session` that belong to one client, and the catalogue with them in it. */
export interface OwnBackends {
  backends: BackendSet;
  catalog: LiveCatalog;
}

/** What the sessions of a gateway and its own tools ask of it. */
export interface GatewayHost {
  readonly limits: BackendLimits;
  readonly startupMs: number;
  /** The tools of the gateway itself. */
  readonly ownTools: Definition[];
  /** Whether only those are listed, and the backends' tools are found by searching. */
  readonly listsOwnToolsOnly: boolean;
  /** The catalogue of the shared backends. */
  readonly catalog: LiveCatalog;
  /** Resolves when the first lists are as complete as they will be soon. */
  ready(): Promise<void>;
  configured(scope: 'shared' | 'session'): ConfiguredBackend[];
  backend(name: string, own?: BackendSet): Backend | undefined;
  sources(own?: BackendSet): CatalogSource[];
  recall(entry: ConfiguredBackend): Remembered | undefined;
  backendEvents(changed: () => void): BackendEvents;
  status(own?: OwnBackends): GatewayStatus;
  addServer(name: string, url: string): Promise<void>;
  removeServer(name: string): Promise<void>;
  /** Asks for updates of a resource; the backend is asked once for all who watch it. */
  watch(watcher: ResourceWatcher, uri: string, backend: Backend): void;
  unwatch(watcher: ResourceWatcher, uri: string): void;
  setLogLevel(level: string): void;
}

/** What makes the session of one client different from others. */
export interface SessionOptions {
  /** Whether the client may add and remove backends, for everybody. Default: true. */
  mayConfigure?: boolean;
}

/** What serving one request of a client needs from that client's session. */
export interface SessionContext {
  readonly gateway: GatewayHost;
  readonly forwarder: Forwarder;
  readonly subscriptions: Subscriptions;
  readonly own: OwnBackends | undefined;
  readonly mayConfigure: boolean;
  /** The catalogue as it is now. */
  readonly liveCatalog: LiveCatalog;
  /** The catalogue once the backends that had to be waited for are there. */
  catalog(call: Call): Promise<Catalog>;
  backend(name: string): Backend | undefined;
  /** The client opened with `initialize`: it can be asked and told things at any time from now on. */
  initialized(capabilities: Record<string, unknown>): void;
  setLogLevel(level: string): void;
}
