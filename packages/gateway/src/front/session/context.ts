import type { Backend, BackendEvents, Remembered } from '../../backend/backend.ts';
import type { BackendSet } from '../../backend/backend-set.ts';
import type { BackendLimits } from '../../backend/limits.ts';
import type { Era } from '../../backend/negotiate.ts';
import type { Catalog, CatalogSource, Route } from '../../catalog/catalog.ts';
import type { Definition } from '../../catalog/validate-tool.ts';
import type { ConfiguredBackend } from '../../config/load.ts';
import type { CallLog } from '../../log/call-log.ts';
import type { Log } from '../../log/log.ts';
import type { GatewayStatus, ServerStatus } from '../tools/status.ts';
import type { Call } from './call.ts';
import type { Forwarder } from './forward.ts';
import type { LiveCatalog } from './live-catalog.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Who is told that a resource changed. */
export interface ResourceWatcher {
  resourceUpdated(uri: string): void;
}

/** The backends that belong to one client, and the catalog with them in it. */
export interface OwnBackends {
  backends: BackendSet;
  catalog: LiveCatalog;
}

/** What the sessions of a gateway and its own tools ask of it. */
export interface GatewayHost {
  readonly log: Log;
  readonly callLog: CallLog;
  readonly limits: BackendLimits;
  readonly startupMs: number;
  /** The tools of the gateway itself. */
  readonly ownTools: Definition[];
  readonly manageServers: ServerManagers;
  /** Whether only those are listed, and the backends' tools are found by searching. */
  readonly listsOwnToolsOnly: boolean;
  /** The catalog of the shared backends. */
  readonly catalog: LiveCatalog;
  /** Resolves when the first lists are as complete as they will be soon. */
  ready(): Promise<void>;
  configured(scope: 'shared' | 'session'): ConfiguredBackend[];
  backend(name: string, own?: BackendSet): Backend | undefined;
  /** The parts of a catalog, `first` before all that are configured. */
  sources(own?: BackendSet, first?: ConfiguredBackend[]): CatalogSource[];
  recall(entry: ConfiguredBackend): Remembered | undefined;
  backendEvents(changed: () => void): BackendEvents;
  status(own?: OwnBackends): GatewayStatus;
  servers(scope: 'shared' | 'session', own?: OwnBackends): ServerStatus[];
  addServer(name: string, url: string): Promise<void>;
  removeServer(name: string): Promise<void>;
  /** Asks for updates of a resource; the backend is asked once for all who watch it. */
  watch(watcher: ResourceWatcher, uri: string, backend: Backend): void;
  unwatch(watcher: ResourceWatcher, uri: string): void;
  /** A session wants to hear more, or less, of what backends log. */
  logLevelChanged(): void;
}

/**
 * Who may add, remove and reconnect the servers of a gateway with its tools: programs of its owner on this machine, all
 * that are let in, or nobody.
 */
export type ServerManagers = 'local' | 'everyone' | 'nobody';

/** A server that a client added to the configuration or removed from it. */
export interface ServerChange {
  action: 'added' | 'removed';
  name: string;
  /** As it may be shown. */
  url: string;
}

/** What makes the session of one client different from others. */
export interface FrontSessionOptions {
  /** Whether the client is somebody else than a program of the owner on this machine. Default: false. */
  remote?: boolean;
  /** Told of each server that the client added or removed. */
  serversChanged?(change: ServerChange): Promise<void>;
  /** Backends of this client alone, before all others; asked for once, when the client first needs any. */
  ownBackends?(client: FrontClient): ConfiguredBackend[];
  /** What the client is told about them. */
  instructions?: string;
}

/** The client of a session, as it says itself. */
export interface FrontClient {
  era: Era;
  /** The name and version of the program. */
  info: unknown;
}

/** What serving one request of a client needs from that client's session. */
export interface FrontContext {
  readonly gateway: GatewayHost;
  readonly forwarder: Forwarder;
  readonly subscriptions: Subscriptions;
  readonly own: OwnBackends | undefined;
  /** Whether the client may add, remove and reconnect servers that others use too. */
  readonly mayManageServers: boolean;
  serversChanged(change: ServerChange): Promise<void>;
  /** What the client is to know about backends of its own. */
  readonly instructions: string | undefined;
  /** The catalog as it is now. */
  readonly liveCatalog: LiveCatalog;
  /** Where a tool is known to be; undefined while a backend that comes before might still claim its name. */
  knownTool(name: string): Route | undefined;
  /** Starts the backends that belong to this client alone, unless they run already. */
  openOwnBackends(call: Call): void;
  /** The catalog once the backends that had to be waited for are there. */
  catalog(call: Call): Promise<Catalog>;
  backend(name: string): Backend | undefined;
  /** The client opened with `initialize`: it can be asked and told things at any time from now on. */
  initialized(client: { capabilities: Record<string, unknown>; info: unknown }): void;
  setLogLevel(level: string): void;
}
