import type { InstallOptions } from '@agent-relay/mcp/install';
import { Command } from 'commander';
import { type ToolsOption, withTools } from '../options.ts';
import { PROGRAM } from '../program-file.ts';

export const command = withTools(new Command('mcp'))
  .description('Serve MCP on standard input and output with the toolset workspace.')
  .enablePositionalOptions()
  .action(({ tools }: ToolsOption) => runMcpServer(tools, 'workspace'))
  .addCommand(
    withTools(new Command('serve'))
      .description('The same with the toolset relay.')
      .action(({ tools }: ToolsOption) => runMcpServer(tools, 'relay')),
  )
  .addCommand(
    withClient(new Command('install'))
      .description('Enter the server in the configuration of your clients.')
      .option('--tools <list>', 'the toolsets to serve')
      .option('--name <name>', 'the name of the agent')
      .action(async (options: InstallOptions) => {
        const { runInstall } = await import('@agent-relay/mcp/install');
        await runInstall({ ...options, gatewayProgram: [PROGRAM, 'mcp'] });
      }),
  )
  .addCommand(
    withClient(new Command('uninstall'))
      .description('Take the server out of the configuration of your clients.')
      .action(async (options: InstallOptions) => {
        const { runUninstall } = await import('@agent-relay/mcp/install');
        await runUninstall(options);
      }),
  );

function withClient(subcommand: Command): Command {
  return subcommand
    .option(
      '-e, --editor <client>',
      'claude, claude-desktop, cursor, vscode, codex, gemini, opencode, droid or auto',
    )
    .option('-g, --global', "in your own configuration instead of the project's")
    .option('--dry-run', 'show the change and write nothing');
}

/**
 * Serves until the client has gone, by the MCP package's own bundle, which starts fast. Only the MCP servers of the
 * daemon need more than that has.
 */
export async function runMcpServer(tools: string | undefined, defaultTools: string): Promise<void> {
  const chosen = tools ?? (process.env.RELAY_TOOLS || defaultTools);
  if (/(^|,)\s*gateway\s*(,|$)/.test(chosen)) {
    const { serveWithPool } = await import('../mcp/serve-with-pool.ts');
    return await serveWithPool(chosen);
  }
  const { serve } = await import('@agent-relay/mcp/serve');
  await serve(chosen);
}
