import type { Relay } from '@agent-relay/sdk/node';
import type { Channel, CliAdapter } from '../clis/adapter.ts';
import { beginConversation } from '../clis/resumption.ts';
import { AwaitedTools } from '../delivery/awaited-tools.ts';
import type { ChildOptions } from '../pty/child.ts';
import { tokenFor } from './agent-connection.ts';
import type { RunDirectory } from './run-directory.ts';

export interface ProgramOptions {
  adapter: CliAdapter;
  /** The CLI's file, found before. */
  file: string;
  /** The words of the command itself, before all others. */
  leading?: readonly string[];
  /** The person's arguments for the CLI. */
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** How the relay's MCP server is started: a program and its arguments. */
  server: readonly [string, ...string[]];
  directory: RunDirectory;
  native?: boolean | undefined;
  /** The conversation of an earlier run to resume. */
  resume?: string | undefined;
}

export interface PreparedProgram {
  program: Omit<ChildOptions, 'columns' | 'rows'>;
  /** A path into it besides its terminal; close it after the run. */
  channel: Channel | undefined;
  /** What its first message waits for; close it after the run. */
  tools: AwaitedTools | undefined;
  /** The conversation it starts with, if known. */
  session: string | undefined;
}

/** Everything the CLI is started with: its arguments, the relay's tools and its identity. */
export async function prepareProgram(
  relay: Relay,
  {
    adapter,
    file,
    leading = [],
    args: wanted,
    cwd,
    env: inherited,
    server,
    directory,
    native = false,
    resume,
  }: ProgramOptions,
): Promise<PreparedProgram> {
  const env = { ...inherited, ...(await identityOf(relay, inherited)) };
  const { word, resumption } = adapter;
  const { args: begun, session } = await beginConversation(word, resumption, wanted, { resume, env });
  const given = [...leading, ...begun];
  const [command, ...args] = server;
  const tools = adapter.beginsWithoutTools && (await awaitTools(directory));
  const setup = await adapter.configure({
    file,
    native,
    server: {
      command,
      args,
      env: { ...relayVariables(env), ...(tools && { RELAY_HOST_SOCKET: tools.socketPath }) },
    },
    args: given,
    env,
    cwd,
    writeFile: directory.writeFile,
    socketPath: directory.socketPath,
  });
  const allArgs = [...setup.args, ...(setup.given ?? given)];
  const program = { file, args: allArgs, cwd, env: { ...env, ...setup.env } };
  return { program, channel: setup.channel, tools, session };
}

async function awaitTools(directory: RunDirectory): Promise<AwaitedTools | undefined> {
  const socketPath = await directory.socketPath('tools');
  return socketPath === undefined ? undefined : AwaitedTools.listen(socketPath);
}

/** The identity of the commands and servers that the CLI starts. */
async function identityOf(relay: Relay, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const token = await tokenFor(relay, env);
  return {
    // Installed hooks leave the messages to this run.
    RELAY_RUN: '1',
    RELAY_AGENT_NAME: relay.name ?? '',
    RELAY_PROJECT: relay.project,
    ...(token === undefined ? {} : { RELAY_AGENT_TOKEN: token }),
  };
}

const relayVariables = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[0].startsWith('RELAY_') && !!entry[1],
    ),
  );
