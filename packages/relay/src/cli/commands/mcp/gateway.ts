import type { RunOptions } from '@agent-relay/gateway/run';
import { RelayError } from '@agent-relay/protocol';
import { Command, InvalidArgumentError, Option } from 'commander';
import { HOST_FORM, isHost } from '../../../daemon/settings/table.ts';
import type { Tls } from '../../../daemon/settings/tls.ts';
import { collect, refuseIdleOptions, wholeNumber } from '../../options.ts';
import { print, printJson } from '../../output/terminal.ts';
import { approvedText, DIGEST_FLAGS, DIGEST_HELP, reviewTools, type ToReview } from './approve-tools.ts';

interface ConfigOption {
  config?: string[];
}
type HttpFront = NonNullable<RunOptions['front']>;
interface HttpOptions {
  host?: string;
  allowHost?: string[];
  tlsCertificate?: string;
  tlsKey?: string;
}
interface GatewayOptions extends ConfigOption, HttpOptions {
  search?: boolean;
  /** True if no port is given. */
  http?: number | true;
  manageServers?: NonNullable<RunOptions['manageServers']>;
  logLevel?: NonNullable<RunOptions['logLevel']>;
}

const USUAL_PORT = 3890;

export const command = withConfig(new Command('gateway'))
  .description('Serve many MCP servers as one, over stdio or HTTP')
  .enablePositionalOptions()
  .option('--search', 'list three tools that search, describe and call all others')
  .addOption(
    new Option(
      '--manage-servers <who>',
      'who may add, remove and reconnect servers by tool call (default: local)',
    ).choices(['local', 'everyone', 'nobody']),
  )
  .option('--http [port]', `serve HTTP instead (default port: ${USUAL_PORT})`, wholeNumber(0))
  .option(
    '--host <address>',
    'address to listen on (default: this machine only; others need RELAY_MCP_API_KEY)',
  )
  .option('--allow-host <name>', 'accept this Host header too (repeatable)', collectHost)
  .addOption(
    new Option('--tls-certificate <file>', 'serve HTTPS with this certificate').env(
      'RELAY_MCP_TLS_CERTIFICATE',
    ),
  )
  .addOption(new Option('--tls-key <file>', 'private key of the certificate').env('RELAY_MCP_TLS_KEY'))
  .addOption(
    new Option('--log-level <level>', 'minimum level to log to stderr')
      .choices(['debug', 'info', 'warn', 'error'])
      .default('info'),
  )
  .action(
    async ({ config, search, http, manageServers, logLevel, ...front }: GatewayOptions, self: Command) => {
      const port = http === true ? USUAL_PORT : http;
      if (port === undefined) {
        refuseIdleOptions(self, ['host', 'allowHost', 'tlsCertificate', 'tlsKey'], { without: '--http' });
      }
      const { runGateway } = await import('@agent-relay/gateway/run');
      await runGateway({
        ...(config && { config }),
        ...(search && { search }),
        ...(manageServers && { manageServers }),
        ...(logLevel && { logLevel }),
        ...(port !== undefined && { http: port, front: await frontOf(front) }),
      });
    },
  )
  .addCommand(
    withConfig(new Command('approve'))
      .description('Read changed tools and approve them: all, those of one server, or one tool')
      .argument('[server]', 'server name')
      .argument('[tool]', 'tool name')
      .option(DIGEST_FLAGS, DIGEST_HELP)
      .option('--list', 'show what waits for approval, as JSON')
      .action(approve),
  );

type ApproveOptions = ConfigOption & { digest?: string; list?: boolean };

async function approve(
  server: string | undefined,
  tool: string | undefined,
  { digest, list, ...options }: ApproveOptions,
): Promise<void> {
  const { approveChange, changedTools } = await import('@agent-relay/gateway/run');
  const places: RunOptions[] = [options];
  // Without --config this includes the servers of the daemon.
  if (options.config === undefined) {
    const { poolDirectory } = await import('../../../daemon/doors/pool.ts');
    const { dataDirectory } = await import('@agent-relay/sdk/node');
    places.push({ stateDir: poolDirectory(dataDirectory()) });
  }
  const tools: ToReview[] = [];
  for (const place of places)
    for (const change of await changedTools(place, { server, tool }))
      tools.push({ ...change, approve: () => approveChange(place, change) });
  if (list) return printJson(tools);
  const show = 'agent-relay gateway approve --list';
  const approved = tools.length === 0 ? undefined : await reviewTools(tools, { digest, show });
  print(approvedText(approved?.map((one) => `${one.server}.${one.tool}`)));
}

/** Uses the daemon's key, hosts and limits: a key is meant for every port. */
async function frontOf({ host, allowHost = [], tlsCertificate, tlsKey }: HttpOptions): Promise<HttpFront> {
  const { loadSettings } = await import('../../../daemon/settings/settings.ts');
  // The TLS options read these variables themselves.
  const env = { ...process.env, RELAY_MCP_TLS_CERTIFICATE: undefined, RELAY_MCP_TLS_KEY: undefined };
  const { mcp, limits } = await loadSettings(env);
  return {
    apiKey: mcp.apiKey,
    maxConnections: mcp.maxConnections,
    maxSessions: mcp.maxSessions,
    headersTimeoutMs: limits.headersTimeoutMs,
    allowedHosts: [...mcp.allowedHosts, ...allowHost],
    allowedOrigins: mcp.allowedOrigins,
    ...(host !== undefined && { host }),
    ...((tlsCertificate || tlsKey) && { tls: await tlsOf(tlsCertificate, tlsKey) }),
  };
}

async function tlsOf(certificate: string | undefined, key: string | undefined): Promise<Tls> {
  if (!certificate || !key) {
    throw new RelayError('InvalidSettings', 'TLS needs both a certificate and a key.', {
      next: 'Set --tls-certificate and --tls-key, or RELAY_MCP_TLS_CERTIFICATE and RELAY_MCP_TLS_KEY.',
    });
  }
  const { readTls } = await import('../../../daemon/settings/tls.ts');
  return readTls(certificate, key);
}

function collectHost(host: string, hosts?: string[]): string[] {
  if (!isHost(host)) throw new InvalidArgumentError(`It ${HOST_FORM}.`);
  return collect(host, hosts);
}

function withConfig(subcommand: Command): Command {
  return subcommand.option(
    '--config <file>',
    'file that lists servers (default: backends.yaml; repeatable)',
    collect,
  );
}
