import { type CliAdapter, type RunFacts, type RunSetup, SERVER_NAME } from './adapter.ts';
import { hasAppServer, withAppServer } from './codex-app-server.ts';
import { codexConversation } from './codex-conversation.ts';
import { codexResumption } from './codex-resumption.ts';
import { codexScreen } from './codex-screen.ts';

export const codex: CliAdapter = {
  word: 'codex',
  paths: (run) => (hasAppServer(run) ? ['native', 'pty'] : ['pty']),
  configure(run) {
    return hasAppServer(run) ? withAppServer(run, toolOptions(run)) : inOneProcess(run);
  },
  resumption: codexResumption,
  screen: codexScreen,
  conversation: codexConversation,
};

// Options are seen by every user of the machine: the variables of the server, a token among them, go by name only.
function toolOptions({ server }: RunFacts): string[] {
  const entry = {
    command: server.command,
    args: server.args,
    env_vars: Object.keys(server.env),
    default_tools_approval_mode: 'approve',
  };
  return Object.entries(entry).flatMap(([key, value]) => [
    '-c',
    // JSON strings and arrays of them are TOML as well.
    `mcp_servers.${SERVER_NAME}.${key}=${JSON.stringify(value)}`,
  ]);
}

async function inOneProcess(run: RunFacts): Promise<RunSetup> {
  const args = [...(isInteractive(run.args) ? ['--no-daemon'] : []), ...toolOptions(run)];
  return { args, env: { ...run.server.env } };
}

/** Its shared daemon would not see what this run is given; other subcommands do not have one. */
const isInteractive = ([first = '']: readonly string[]): boolean =>
  !/^[a-z][a-z-]*$/.test(first) || ['resume', 'fork'].includes(first);
