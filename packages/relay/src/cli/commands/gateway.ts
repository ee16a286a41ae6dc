import { dataDirectory } from '@agent-relay/sdk/node';
import { Command, Option } from 'commander';
import { collect, wholeNumber } from '../options.ts';
import { print } from '../terminal.ts';

interface ConfigOption {
  config?: string[];
}
interface GatewayOptions extends ConfigOption {
  search?: boolean;
  http?: number;
  host?: string;
}

export const command = withConfig(new Command('gateway'))
  .description('Serve the tools of many MCP servers as one, on standard input and output or over HTTP.')
  .enablePositionalOptions()
  .option('--search', 'offer tools that find, describe and call the others, for hundreds of them')
  .addOption(new Option('--http [port]', 'serve HTTP (port 3890)').preset('3890').argParser(wholeNumber(0)))
  .option('--host <address>', 'where to serve HTTP; beyond this machine only with RELAY_MCP_API_KEY')
  .action(async (options: GatewayOptions) => {
    const { runGateway } = await import('@agent-relay/gateway/run');
    const { isOwnUser } = await import('../../daemon/own-user.ts');
    await runGateway({ ...options, isOwnUser });
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
          const { poolDirectory } = await import('../../daemon/pool.ts');
          const stateDir = poolDirectory(dataDirectory());
          approved.push(...(await approveChanges({ stateDir }, backend, tool)));
        }
        print(approved.length === 0 ? 'Nothing waits for approval.' : `Approved: ${approved.join(', ')}`);
      }),
  );

function withConfig(subcommand: Command): Command {
  return subcommand.option(
    '--config <file>',
    'a file that lists servers, backends.yaml if none is given; may be repeated',
    collect,
  );
}
