import type { Backend, BackendEvents, Remembered } from '../../backend/backend.ts';
import type { BackendSet } from '../../backend/backend-set.ts';
import type { BackendLimits } from '../../backend/limits.ts';
import type { Era } from '../../backend/rpc/negotiate.ts';
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

/** Notified when a resource changes. */
export interface ResourceWatcher {
  resourceUpdated(uri: string): void;
}

/** The backends of one client, and a catalog that includes them. */
export interface OwnBackends {
  backends: BackendSet;
  catalog: LiveCatalog;
}

/** What sessions and management tools need from the gateway. */
export interface GatewayHost {
  readonly log: Log;
  readonly callLog: CallLog;
  readonly limits: BackendLimits;
  readonly startupMs: number;
  /** The tools of the gateway itself. */
  readonly ownTools: Definition[];
  readonly manageServers: ServerManagers;
  /** Whether only those are listed, and other tools are found by search. */
  readonly listsOwnToolsOnly: boolean;
  /** The catalog of the shared backends. */
  readonly catalog: LiveCatalog;
  /** Resolves when the first lists are complete, or no backend arrived for `startupMs`. */
  ready(): Promise<void>;
  configured(scope: 'shared' | 'session'): ConfiguredBackend[];
  backend(name: string, own?: BackendSet): Backend | undefined;
  /** The parts of a catalog. `first` come before the configured backends. */
  sources(own?: BackendSet, first?: ConfiguredBackend[]): CatalogSource[];
  recall(entry: ConfiguredBackend): Remembered | undefined;
  backendEvents(changed: () => void): BackendEvents;
  status(own?: OwnBackends): GatewayStatus;
  servers(scope: 'shared' | 'session', own?: OwnBackends): ServerStatus[];
  addServer(name: string, url: string): Promise<void>;
  removeServer(name: string): Promise<void>;
  /** Subscribes to a resource. All watchers share one subscription to the backend. */
  watch(watcher: ResourceWatcher, uri: string, backend: Backend): void;
  unwatch(watcher: ResourceWatcher, uri: string): void;
  /** A session changed its log level. */
  logLevelChanged(): void;
}

/**
 * Who may add, remove and reconnect servers by tool call: local programs of the owner, every admitted client, or nobody.
 */
export type ServerManagers = 'local' | 'everyone' | 'nobody';

/** A server that a client added to the configuration or removed from it. */
export interface ServerChange {
  action: 'added' | 'removed' | 'reconnected';
  name: string;
  /** With credentials masked. */
  url: string;
}

/** Options of one client's session. */
export interface FrontSessionOptions {
  /** Whether the client may be anything but a local program of the owner. Default: false. */
  remote?: boolean;
  /** Called for each server the client added or removed. */
  serversChanged?(change: ServerChange): Promise<void>;
  /** Backends of this client only, listed first. Called once, when the client first needs them. */
  ownBackends?(client: FrontClient): ConfiguredBackend[];
  /** Instructions about them for the client's model. */
  instructions?(client: FrontClient): string | Promise<string>;
}

/** How the client of a session describes itself. */
export interface FrontClient {
  era: Era;
  /** Name and version of the program. */
  info: unknown;
}

/** What serving a request needs from the client's session. */
export interface FrontContext {
  readonly gateway: GatewayHost;
  readonly forwarder: Forwarder;
  readonly subscriptions: Subscriptions;
  readonly own: OwnBackends | undefined;
  /** Whether the client may add, remove and reconnect shared servers. */
  readonly mayManageServers: boolean;
  serversChanged(change: ServerChange): Promise<void>;
  /** Instructions about the client's own backends. */
  instructions(call: Call): Promise<string | undefined>;
  /** The current catalog. */
  readonly liveCatalog: LiveCatalog;
  /** The route of a tool; undefined while a backend with precedence might still claim the name. */
  knownTool(name: string): Route | undefined;
  /** Starts the client's own backends, if it has any that are not running. */
  openOwnBackends(call: Call): void;
  /** The catalog, after waiting for backends that are starting. */
  catalog(call: Call): Promise<Catalog>;
  backend(name: string): Backend | undefined;
  /** The client sent `initialize`. From now on it accepts requests and notifications at any time. */
  initialized(client: { capabilities: Record<string, unknown>; info: unknown }): void;
  setLogLevel(level: string): void;
}
