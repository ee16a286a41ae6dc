import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { dataDirectory, type Environment } from '@agent-relay/sdk/node';

/** The name of the relay's entry in every client. */
export const SERVER_NAME = 'agent-relay';

/** Variables that a user may set for one run of a client, and that the server reads. */
export const VARIABLES: readonly string[] = [
  'RELAY_AGENT_NAME',
  'RELAY_AGENT_TOKEN',
  'RELAY_CHANNELS',
  'RELAY_DATA_DIR',
  'RELAY_LEAD',
  'RELAY_PROJECT',
  'RELAY_ROLES',
  'RELAY_SOCKET',
  'RELAY_TOOLS',
  'RELAY_URL',
  'RELAY_WORKSPACE_KEY',
];

/** How a client starts the server. Every path is absolute: a desktop starts editors without the user's PATH. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface ServerChoices {
  /** The directory of the server's project. Default: the client's working directory. */
  project?: string | undefined;
  tools?: string | undefined;
  name?: string | undefined;
  /** The client whose own hooks are installed too. */
  hooks?: string | undefined;
  /** What the client runs: a file and its first arguments. Default: this package's server. */
  program?: readonly string[] | undefined;
}

/** Found by the package's name: this module may be part of another program's bundle. */
const SCRIPT = join(
  dirname(createRequire(import.meta.url).resolve('@agent-relay/mcp/serve')),
  'agent-relay-mcp.js',
);

export function serverCommand(
  { project, tools, name, hooks, program = [SCRIPT, 'serve'] }: ServerChoices,
  env: Environment,
): ServerCommand {
  const home = { HOME: env.HOME };
  const data = dataDirectory(env);
  return {
    command: process.execPath,
    args: [...program, ...(tools === undefined ? [] : ['--tools', tools])],
    env: {
      ...(project === undefined ? {} : { RELAY_PROJECT_ROOT: project }),
      ...(name === undefined ? {} : { RELAY_AGENT_NAME: name }),
      ...(hooks === undefined ? {} : { RELAY_HOOKS: hooks }),
      // Only a custom data directory has to be passed on.
      ...(data === dataDirectory(home) ? {} : { RELAY_DATA_DIR: data }),
    },
  };
}

/** npx keeps programs in a cache that npm may empty at any time. */
export const isTemporaryCopy = SCRIPT.split(/[\\/]/).includes('_npx');
