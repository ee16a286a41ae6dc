import { parseArgs } from 'node:util';
import { VERSION } from '../version.ts';
import { reportFailure, usageError } from './failure.ts';

const USAGE = `agent-relay-mcp: the relay as an MCP server

Usage:
  agent-relay-mcp serve [--tools relay,network,…]   serve one client on standard input and output
  agent-relay-mcp install [options]                 enter the server in the configuration of your clients
  agent-relay-mcp uninstall [options]               take it out again

Options of install and uninstall:
  -e, --editor <client>   claude, claude-desktop, cursor, vscode, codex, gemini, opencode, droid, or auto
  -g, --global            in your own configuration instead of the project's
      --dry-run           show the change and write nothing
      --tools <list>      the toolsets to serve (install)
      --name <name>       the name of the agent (install)

  -h, --help      print this
  -v, --version   print the version
`;

const COMMON = {
  editor: { type: 'string', short: 'e' },
  global: { type: 'boolean', short: 'g' },
  'dry-run': { type: 'boolean' },
} as const;

const COMMANDS: Record<string, (args: string[]) => Promise<void>> = {
  async install(args) {
    const options = { ...COMMON, tools: { type: 'string' }, name: { type: 'string' } } as const;
    const { 'dry-run': dryRun, ...values } = parseArgs({ args, options }).values;
    const { runInstall } = await import('../install/index.ts');
    await runInstall({ ...values, dryRun });
  },
  async uninstall(args) {
    const { 'dry-run': dryRun, ...values } = parseArgs({ args, options: COMMON }).values;
    const { runUninstall } = await import('../install/index.ts');
    await runUninstall({ ...values, dryRun });
  },
};

/** Runs the command line, but for `serve`, which is started by itself; how it went is in the exit code. */
export async function main([name = '--help', ...args]: string[]): Promise<void> {
  process.stdout.on('error', endQuietlyOnClosedPipe);
  try {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command) await command(args);
    else if (name === '-v' || name === '--version') process.stdout.write(`${VERSION}\n`);
    else if (name === '-h' || name === '--help') process.stdout.write(USAGE);
    else throw usageError(`There is no command "${name}".`);
  } catch (error) {
    reportFailure(error);
  }
}

/** `agent-relay-mcp install --dry-run | head` has got all it wanted. */
function endQuietlyOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}
