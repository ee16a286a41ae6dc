import type { BackendLimits } from './backend/limits.ts';
import type { ServerManagers } from './front/session/context.ts';
import type { LogLevel, WriteLogLine } from './log/log.ts';

export interface GatewayOptions {
  /** Read in this order. `relay_add_server` adds to the first one. */
  configFiles: string[];
  /** Working directory for the programs of a file that set no `cwd`. Default: that of the gateway. */
  directoryOf?: (file: string) => string;
  /** Where the manifest and the pins are stored. Without it nothing is remembered. */
  stateDir?: string | undefined;
  /** Whether clients get the management tools. Default: true. */
  management?: boolean;
  /** Who may add, remove and reconnect servers with them. Default: local. */
  manageServers?: ServerManagers | undefined;
  /** `search` lists three tools that search, describe and call all others. */
  mode?: 'list' | 'search' | undefined;
  /** Why a backend may not have a name: the server is refused, with this as the reason in its status. */
  nameProblem?: ((name: string) => string | undefined) | undefined;
  /** Called when the state of a shared server changed, or which servers there are. */
  onServersChanged?: () => void;
  env?: NodeJS.ProcessEnv;
  limits?: Partial<BackendLimits>;
  /** The first list waits for unknown backends until none has arrived for this long. Default: 2 s. */
  startupMs?: number | undefined;
  log?: WriteLogLine;
  /** Default: info. */
  logLevel?: LogLevel | undefined;
}
