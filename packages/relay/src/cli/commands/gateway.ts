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
  http?: number;
  manageServers?: NonNullable<RunOptions['manageServers']>;
}

export const command = withConfig(new Command('gateway'))
  .description('Serve the tools of many MCP servers as one, on standard input and output or over HTTP.')
  .enablePositionalOptions()
  .option('--search', 'offer tools that find, describe and call the others, for hundreds of them')
  .addOption(
    new Option(
      '--manage-servers <who>',
      'who may add, remove and reconnect servers with tools: programs of yours on this machine, or also others',
    ).choices(['local', 'everyone', 'nobody']),
  )
  .addOption(new Option('--http [port]', 'serve HTTP (port 3890)').preset('3890').argParser(wholeNumber(0)))
  .option('--host <address>', 'where to serve HTTP; beyond this machine only with RELAY_MCP_API_KEY')
  .option('--allow-host <name>', 'a name by which others reach HTTP here; may be repeated', collect)
  .addOption(
    new Option('--tls-certificate <file>', 'serve HTTPS with this certificate').env(
      'RELAY_MCP_TLS_CERTIFICATE',
    ),
  )
  .addOption(new Option('--tls-key <file>', 'the key of the certificate').env('RELAY_MCP_TLS_KEY'))
  .action(async ({ config, search, http, manageServers, ...front }: GatewayOptions, self: Command) => {
    if (http === undefined) {
      refuseIdleOptions(self, ['host', 'allowHost', 'tlsCertificate', 'tlsKey'], { without: '--http' });
    }
    const { runGateway } = await import('@agent-relay/gateway/run');
    await runGateway({
      ...(config && { config }),
      ...(search && { search }),
      ...(manageServers && { manageServers }),
      ...(http !== undefined && { http, front: await frontOf(front) }),
    });
  })
  .addCommand(
    withConfig(new Command('approve'))
      .description('Accept what servers changed about their tools: all of it, or that of one server or tool.')
      .argument('[backend]', 'the server')
      .argument('[tool]', 'its tool')
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
        print(approved.length === 0 ? 'Nothing waits for approval.' : `Approved: ${approved.join(', ')}`);
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
    throw new RelayError('InvalidSettings', 'A TLS certificate and its key need each other.', {
      next: 'Give --tls-certificate and --tls-key, or RELAY_MCP_TLS_CERTIFICATE and RELAY_MCP_TLS_KEY.',
    });
  }
  const { readTls } = await import('../../daemon/settings/tls.ts');
  return readTls(certificate, key);
}

function withConfig(subcommand: Command): Command {
  return subcommand.option(
    '--config <file>',
    'a file that lists servers, backends.yaml if none is given; may be repeated',
    collect,
  );
}
