import { parseArgs } from 'node:util';
import { nearNames, type RelayError } from '@agent-relay/protocol';
import { VERSION } from '../version.ts';
import { reportFailure, usageError } from './failure.ts';

const CLIENTS = `  -e, --editor <clients>  claude, claude-desktop, cursor, vscode, codex, gemini,
                          opencode, droid or auto; several as claude,codex
                          (default: every installed client)
  -g, --global            use your user configuration instead of the project's
      --dry-run           show the changes without writing them
`;

const HELP: Record<string, string> = {
  serve: `Usage: agent-relay-mcp serve [--tools <list>]

Serve MCP over stdio. Your client starts it: see agent-relay-mcp install.

Options:
      --tools <list>      comma-separated toolsets to serve (default: relay)
`,
  install: `Usage: agent-relay-mcp install [options]

Add the server to your clients.

Options:
${CLIENTS}      --tools <list>      comma-separated toolsets to serve
      --name <name>       agent name; with several clients, each gets its own:
                          NAME-claude
`,
  uninstall: `Usage: agent-relay-mcp uninstall [options]

Remove the server from your clients.

Options:
${CLIENTS}`,
};

const USAGE = `agent-relay-mcp: the relay as an MCP server

Usage:
  agent-relay-mcp serve [options]       serve MCP over stdio
  agent-relay-mcp install [options]     add the server to your clients
  agent-relay-mcp uninstall [options]   remove the server from your clients

  -h, --help      show help
  -v, --version   show the version
`;

const COMMON = {
  editor: { type: 'string', short: 'e', multiple: true },
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

const HELP_OPTIONS = ['-h', '--help'];

/** Runs the command line, except `serve`, which is started separately; sets the exit code. */
export async function main([name = '--help', ...args]: string[]): Promise<void> {
  process.stdout.on('error', endQuietlyOnClosedPipe);
  try {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    const help = Object.hasOwn(HELP, name) ? HELP[name] : undefined;
    if (help && args.some((arg) => HELP_OPTIONS.includes(arg))) process.stdout.write(help);
    else if (command) await command(args);
    else if (name === '-v' || name === '--version') process.stdout.write(`${VERSION}\n`);
    else if (HELP_OPTIONS.includes(name)) process.stdout.write(USAGE);
    else throw unknownCommand(name);
  } catch (error) {
    reportFailure(error);
  }
}

function unknownCommand(name: string): RelayError {
  const [near] = nearNames(name, Object.keys(HELP), 1);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return usageError(`There is no command "${name}".${hint}`);
}

/** `agent-relay-mcp install --dry-run | head` closes the pipe early, which is fine. */
function endQuietlyOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}
