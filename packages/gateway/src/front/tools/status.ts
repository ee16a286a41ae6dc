import type { Backend } from '../../backend/backend.ts';
import type { Health } from '../../backend/health.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { ConfiguredBackend } from '../../config/load.ts';
import { counted } from '../../log/counted.ts';

export interface ServerStatus {
  name: string;
  url: string;
  connected: boolean;
  health: Health;
  tools: number;
  tool_names: string[];
  invalid_tools?: Array<{ name: string; reason: string }>;
  /** Prompts and resources that an earlier server offers under the same name. */
  hidden?: Array<{ name: string; reason: string }>;
  /** Tools whose definition differs from the approved one. */
  changed_tools?: string[];
  /** Number of notifications dropped because there were too many. */
  dropped_notifications?: number;
  error?: string;
}

export interface GatewayStatus {
  total_servers: number;
  connected_servers: number;
  servers: ServerStatus[];
  /** Why the configuration on disk is not applied, if it is not. */
  config_error?: string;
}

interface Facts {
  changed(name: string, tools: unknown[], pin: 'off' | 'warn' | 'strict'): string[];
  configProblem: string | undefined;
}

export function readStatus(
  configured: readonly ConfiguredBackend[],
  backendOf: (name: string) => Backend | undefined,
  catalog: Catalog,
  facts: Facts,
): GatewayStatus {
  const servers = configured.map(({ config }): ServerStatus => {
    const backend = backendOf(config.name);
    const report = catalog.reports.get(config.name) ?? { toolNames: [], invalid: [], hidden: [] };
    const changed = backend ? facts.changed(config.name, backend.lists.tools, config.pin) : [];
    // While it connects, problems of the last connection do not count.
    const isConnecting = backend?.health === 'connecting';
    const error = backend?.problem ?? (isConnecting ? undefined : flaw(report.invalid, changed));
    return {
      name: config.name,
      url: config.address,
      connected: backend?.connected ?? false,
      health:
        backend?.health === 'healthy' && error !== undefined ? 'degraded' : (backend?.health ?? 'unknown'),
      tools: report.toolNames.length,
      tool_names: report.toolNames,
      ...(report.invalid.length === 0 ? {} : { invalid_tools: report.invalid }),
      ...(report.hidden.length === 0 ? {} : { hidden: report.hidden }),
      ...(changed.length === 0 ? {} : { changed_tools: changed }),
      ...(backend?.droppedNotifications ? { dropped_notifications: backend.droppedNotifications } : {}),
      ...(error === undefined ? {} : { error }),
    };
  });
  return {
    total_servers: servers.length,
    connected_servers: servers.filter(({ connected }) => connected).length,
    servers,
    ...(facts.configProblem === undefined
      ? {}
      : {
          config_error: `The configuration on disk is not applied; the last valid one is running. ${facts.configProblem}`,
        }),
  };
}

function flaw(invalid: Array<{ name: string; reason: string }>, changed: string[]): string | undefined {
  const [first] = invalid;
  if (first) return `${counted(invalid.length, 'invalid tool')}: ${first.name} - ${first.reason}`;
  return changed.length === 0 ? undefined : `Changed since approval: ${changed.join(', ')}`;
}

const STATES: Record<Health, string> = {
  healthy: '✅ Connected (healthy)',
  degraded: '⚠️ Connected (degraded)',
  failed: '❌ Disconnected (failed)',
  connecting: '⏳ Connecting',
  unknown: '⏳ Not started (unknown)',
};

/** The overview for people. */
export function describeServers(status: GatewayStatus): string {
  const servers = status.servers.map((server) =>
    [
      `- **${server.name}**: ${STATES[server.health]}`,
      `  - URL: ${server.url}`,
      `  - Valid Tools: ${server.tools}${server.connected || server.tools === 0 ? '' : ' (from the last connection)'}`,
      ...(server.health === 'degraded' ? [`  - Invalid Tools: ${server.invalid_tools?.length ?? 0}`] : []),
      ...(server.error === undefined ? [] : [`  - Error: ${server.error}`]),
    ].join('\n'),
  );
  const problem = status.config_error === undefined ? [] : [`⚠️ ${status.config_error}`];
  return ['**MCP Relay - Connected Servers:**', ...servers, ...problem].join('\n\n');
}
