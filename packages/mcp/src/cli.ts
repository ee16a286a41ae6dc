import { parseArgs } from 'node:util';
import { isRelayError } from '@agent-relay/sdk';
import { failureText } from './framework/failure.ts';
import { toolsetNames } from './framework/toolset.ts';
import { VERSION } from './version.ts';

const USAGE = `agent-relay-mcp: the relay as an MCP server

Usage:
  agent-relay-mcp serve [--tools relay,network,…]   serve one client on standard input and output
  agent-relay-mcp install [options]                 put the server into the configuration of your clients
  agent-relay-mcp uninstall [options]               take it out again

  -h, --help      print this
  -v, --version   print the version
`;

/** Runs the command line; the exit code is set, standard output belongs to the command. */
export async function main(args: string[]): Promise<void> {
  const [command, ...rest] = args;
  try {
    if (command === 'serve') await serve(rest);
    else if (command === '-v' || command === '--version') process.stdout.write(`${VERSION}\n`);
    else if (command === undefined || command === '-h' || command === '--help') process.stdout.write(USAGE);
    else {
      process.stderr.write(`error: there is no command "${command}".\n\n${USAGE}`);
      process.exitCode = 2;
    }
  } catch (error) {
    process.stderr.write(`${isRelayError(error) ? failureText(error) : String(error)}\n`);
    process.exitCode = isRelayError(error) ? error.exitCode : 1;
  }
}

async function serve(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { tools: { type: 'string' } } });
  const { serveStdio } = await import('./stdio/serve.ts');
  await serveStdio(values.tools === undefined ? {} : { tools: toolsetNames(values.tools) });
}
