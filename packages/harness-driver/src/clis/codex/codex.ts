import { type CliAdapter, type RunFacts, type RunSetup, SERVER_NAME } from '../adapter.ts';
import { hasAppServer, withAppServer } from './app-server.ts';
import { codexConversation } from './conversation.ts';
import { codexResumption } from './resumption.ts';
import { codexScreen } from './screen.ts';

export const codex: CliAdapter = {
  word: 'codex',
  proven: ['0.166.0', '0.169.0'],
  beginsWithoutTools: true,
  paths: (run) => (hasAppServer(run) ? ['native', 'pty'] : ['pty']),
  configure(run) {
    return hasAppServer(run) ? withAppServer(run, toolOptions(run)) : inOneProcess(run);
  },
  resumption: codexResumption,
  screen: codexScreen,
  conversation: codexConversation,
};

// Every user of the machine can see options, so the server's variables, including a token, are passed by name only.
function toolOptions({ server }: RunFacts): string[] {
  const entry = {
    command: server.command,
    args: server.args,
    env_vars: Object.keys(server.env),
    default_tools_approval_mode: 'approve',
  };
  return Object.entries(entry).flatMap(([key, value]) => [
    '-c',
    // JSON strings and arrays of strings are valid TOML.
    `mcp_servers.${SERVER_NAME}.${key}=${JSON.stringify(value)}`,
  ]);
}

async function inOneProcess(run: RunFacts): Promise<RunSetup> {
  const args = [...(isInteractive(run.args) ? ['--no-daemon'] : []), ...toolOptions(run)];
  return { args, env: { ...run.server.env } };
}

/** Its shared daemon would not get the settings of this run; other subcommands do not use it. */
const isInteractive = ([first = '']: readonly string[]): boolean =>
  !/^[a-z][a-z-]*$/.test(first) || ['resume', 'fork'].includes(first);
