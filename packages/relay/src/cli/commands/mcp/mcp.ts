import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { InstallOptions } from '@agent-relay/mcp/install';
import { checkAgentName, nearNames, plainAgentName, RelayError } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type ToolsOption, withTools } from '../../options.ts';
import { PROGRAM } from '../../program-file.ts';

/** What OpenCode loads. */
const PLUGIN = pathToFileURL(
  createRequire(import.meta.url).resolve('@agent-relay/harness-driver/opencode-installed-plugin'),
).href;

export const command = withTools(new Command('mcp'))
  .summary('Add the relay to your MCP clients (mcp install), or serve MCP over stdio')
  .description('Serve MCP over stdio (toolsets: workspace, actions)')
  .enablePositionalOptions()
  // An unknown command is handled below, with a suggestion.
  .allowExcessArguments()
  .action(({ tools }: ToolsOption, self: Command) => {
    const [word] = self.args;
    if (word !== undefined) throw unknownCommand(word, self);
    return runMcpServer(tools, 'workspace,actions');
  })
  .addCommand(
    withTools(new Command('serve'))
      .description('Serve MCP over stdio (toolset: relay)')
      .action(({ tools }: ToolsOption) => runMcpServer(tools, 'relay')),
  )
  .addCommand(
    withClient(new Command('install'))
      .description('Add the relay to your MCP clients')
      .option('--tools <list>', 'comma-separated toolsets to serve (default: relay)')
      // Checked once, not for each client.
      .option('--name <name>', 'agent name; with several clients, each gets its own: NAME-claude', (name) =>
        checkAgentName(plainAgentName(name)),
      )
      .option('--hooks', 'also deliver messages through hooks (claude, codex, gemini) or a plugin (opencode)')
      .action(async (options: InstallOptions) => {
        const { runInstall } = await import('@agent-relay/mcp/install');
        const hookProgram = { program: [PROGRAM, 'hook'], plugin: PLUGIN };
        await runInstall({ ...options, gatewayProgram: [PROGRAM, 'mcp'], hookProgram });
      }),
  )
  .addCommand(
    withClient(new Command('uninstall'))
      .description('Remove the relay from your MCP clients')
      .action(async (options: InstallOptions) => {
        const { runUninstall } = await import('@agent-relay/mcp/install');
        await runUninstall(options);
      }),
  );

function unknownCommand(word: string, self: Command): RelayError {
  const known = self.commands.map((each) => each.name());
  const [near] = nearNames(word, known, 1);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return new RelayError('InvalidRequest', `There is no command "mcp ${word}".${hint}`, {
    next: 'See: agent-relay mcp --help',
  });
}

function withClient(subcommand: Command): Command {
  return subcommand
    .option(
      '-e, --editor <clients>',
      'claude, claude-desktop, cursor, vscode, codex, gemini, opencode, droid or auto; several as claude,codex',
      (client: string, before: string[] = []) => [...before, client],
    )
    .option('-g, --global', "use your user configuration instead of the project's")
    .option('--dry-run', 'show the changes without writing them');
}

/**
 * Serves until the client disconnects, with the MCP package's own bundle, which starts fast. Only the MCP servers of the
 * daemon need more.
 */
export async function runMcpServer(tools: string | undefined, defaultTools: string): Promise<void> {
  const chosen = tools ?? (process.env.RELAY_TOOLS || defaultTools);
  if (/(^|,)\s*gateway\s*(,|$)/.test(chosen)) {
    const { serveWithPool } = await import('../../mcp/serve-with-pool.ts');
    return await serveWithPool(chosen);
  }
  const { serve } = await import('@agent-relay/mcp/serve');
  await serve(chosen);
}
