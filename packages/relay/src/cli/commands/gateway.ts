import type { RunOptions } from '@agent-relay/gateway/run';
import { RelayError } from '@agent-relay/protocol';
import { Command, Option } from 'commander';
import type { Tls } from '../../daemon/settings/tls.ts';
import { collect, refuseIdleOptions, wholeNumber } from '../options.ts';
import { print } from '../output/terminal.ts';

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
  /** True without a port. */
  http?: number | true;
  manageServers?: NonNullable<RunOptions['manageServers']>;
}

const DEFAULT_PORT = 3890;

export const command = withConfig(new Command('gateway'))
  .description('Serve many MCP servers as one, over stdio or HTTP')
  .enablePositionalOptions()
  .option('--search', 'offer tools to find and call the others, for hundreds of tools')
  .addOption(
    new Option('--manage-servers <who>', 'who may add, remove and reconnect servers with tools').choices([
      'local',
      'everyone',
      'nobody',
    ]),
  )
  .option('--http [port]', 'serve HTTP (default port: 3890)', wholeNumber(0))
  .option('--host <address>', 'address for HTTP; beyond this machine it needs $RELAY_MCP_API_KEY')
  .option('--allow-host <name>', 'host name that HTTP clients may use (repeatable)', collect)
  .addOption(new Option('--tls-certificate <file>', 'certificate for HTTPS').env('RELAY_MCP_TLS_CERTIFICATE'))
  .addOption(new Option('--tls-key <file>', 'private key of the certificate').env('RELAY_MCP_TLS_KEY'))
  .action(async ({ config, search, http, manageServers, ...front }: GatewayOptions, self: Command) => {
    if (http === undefined) {
      refuseIdleOptions(self, ['host', 'allowHost', 'tlsCertificate', 'tlsKey'], { without: '--http' });
    }
    const { runGateway } = await import('@agent-relay/gateway/run');
    await runGateway({
      ...(config && { config }),
      ...(search && { search }),
      ...(manageServers && { manageServers }),
      ...(http !== undefined && { http: http === true ? DEFAULT_PORT : http, front: await frontOf(front) }),
    });
  })
  .addCommand(
    withConfig(new Command('approve'))
      .description('Approve changed tools: all, or those of one server')
      .argument('[backend]', 'server name')
      .argument('[tool]', 'tool name')
      .action(async (backend: string | undefined, tool: string | undefined, options: ConfigOption) => {
        const { approveChanges } = await import('@agent-relay/gateway/run');
        const approved = await approveChanges(options, backend, tool);
        // Without a file the servers of the daemon are meant as well.
        if (options.config === undefined) {
          const { poolDirectory } = await import('../../daemon/doors/pool.ts');
          const { dataDirectory } = await import('@agent-relay/sdk/node');
          const stateDir = poolDirectory(dataDirectory());
          approved.push(...(await approveChanges({ stateDir }, backend, tool)));
        }
        print(approved.length === 0 ? 'Nothing to approve.' : `Approved: ${approved.join(', ')}`);
      }),
  );

/** Key, hosts and limits are those of the MCP port of the daemon: who sets a key means every port of theirs. */
async function frontOf({ host, allowHost = [], tlsCertificate, tlsKey }: HttpOptions): Promise<HttpFront> {
  const { loadSettings } = await import('../../daemon/settings/settings.ts');
  // Certificates come by options, which read these variables themselves.
  const env = { ...process.env, RELAY_MCP_TLS_CERTIFICATE: undefined, RELAY_MCP_TLS_KEY: undefined };
  const { mcp, limits } = await loadSettings(env);
  return {
    apiKey: mcp.apiKey,
    maxConnections: mcp.maxConnections,
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
  const { readTls } = await import('../../daemon/settings/tls.ts');
  return readTls(certificate, key);
}

function withConfig(subcommand: Command): Command {
  return subcommand.option(
    '--config <file>',
    'file that lists servers (repeatable, default: backends.yaml)',
    collect,
  );
}
