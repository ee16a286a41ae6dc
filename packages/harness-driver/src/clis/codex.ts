import { type CliAdapter, SERVER_NAME } from './adapter.ts';
import { codexScreen } from './codex-screen.ts';

export const codex: CliAdapter = {
  word: 'codex',
  // Options are seen by every user of the machine: the variables of the server, a token among them, go by name only.
  async configure({ server, args }) {
    const entry = {
      command: server.command,
      args: server.args,
      env_vars: Object.keys(server.env),
      default_tools_approval_mode: 'approve',
    };
    const options = Object.entries(entry).flatMap(([key, value]) => [
      '-c',
      // JSON strings and arrays of them are TOML as well.
      `mcp_servers.${SERVER_NAME}.${key}=${JSON.stringify(value)}`,
    ]);
    return { args: [...(isInteractive(args) ? ['--no-daemon'] : []), ...options], env: { ...server.env } };
  },
  screen: codexScreen,
};

/** Its shared daemon would not see what this run is given; other subcommands do not have one. */
const isInteractive = ([first = '']: readonly string[]): boolean =>
  !/^[a-z][a-z-]*$/.test(first) || ['resume', 'fork'].includes(first);
