import { RelayError } from '@agent-relay/protocol';
import type { NodeConnectOptions, Relay } from '@agent-relay/sdk/node';
import { type AgentProfile, connectAgent, tokenFor } from './agent-connection.ts';
import { adapterOf } from './clis/clis.ts';
import { AgentTerminal } from './delivery/agent-terminal.ts';
import { Deliverer } from './delivery/deliverer.ts';
import { findCommand } from './find-command.ts';
import { Child, type ChildEnd } from './pty/child.ts';
import { openRunDirectory } from './run-directory.ts';
import { Screen } from './screen/screen.ts';
import { PersonTerminal } from './terminal/person-terminal.ts';
import { SharedKeyboard } from './terminal/shared-keyboard.ts';
import { isTyping } from './terminal/typing.ts';

export interface RunOptions extends AgentProfile {
  /** The CLI and its arguments. */
  command: readonly string[];
  /** How the relay's MCP server is started: a program and its arguments. */
  server: readonly [string, ...string[]];
  client: NonNullable<NodeConnectOptions['client']>;
}

export interface RunResult extends ChildEnd {
  /** Why messages were no longer delivered, if that happened. */
  failure?: unknown;
}

const FORWARDED = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** Runs a CLI in the person's terminal, and types the agent's messages into it whenever that is safe. */
export async function runInTerminal(options: RunOptions): Promise<RunResult> {
  const terminal = new PersonTerminal();
  if (!terminal.isTerminal) {
    throw new RelayError('InvalidRequest', 'This program needs a terminal.', {
      next: 'Run it in a terminal, without redirecting its input or output.',
    });
  }
  const [command = '', ...given] = options.command;
  const cwd = process.cwd();
  const adapter = adapterOf(command);
  const file = await findCommand(command, process.env, cwd);
  await using relay = await connectAgent(options, adapter.word, { env: process.env, client: options.client });
  await using directory = await openRunDirectory(process.env);
  const env = { ...process.env, ...(await identityOf(relay)) };
  const [program, ...args] = options.server;
  const { writeFile } = directory;
  const server = { command: program, args, env: relayVariables(env) };
  const setup = await adapter.configure({ server, args: given, env, writeFile });

  let deliverer: Deliverer | undefined;
  const look = () => deliverer?.look();
  const screen = new Screen({ ...terminal.size, onChange: () => onScreen() });
  terminal.takeOver();
  const putBack = () => terminal.restore(screen.undoModes());
  process.once('exit', putBack);
  const child = new Child(
    { file, args: [...setup.args, ...given], cwd, env: { ...env, ...setup.env }, ...terminal.size },
    (output) => {
      terminal.write(output);
      screen.feed(output);
    },
  );
  const keyboard = new SharedKeyboard((bytes) => child.write(bytes));
  const agent = new AgentTerminal(screen, adapter.screen, keyboard, look);
  let wasSuspended = false;
  const onScreen = () => {
    agent.screenChanged();
    look();
    const isSuspended = agent.isSuspended();
    if (isSuspended && !wasSuspended) suspend(terminal, child);
    wasSuspended = isSuspended;
  };
  terminal.onKeys((keys) => {
    keyboard.press(keys);
    if (isTyping(keys)) agent.typed();
  });
  terminal.onResize(({ columns, rows }) => {
    child.resize(columns, rows);
    screen.resize(columns, rows);
  });
  terminal.onGone(() => child.signal('SIGHUP'));
  for (const signal of FORWARDED) process.on(signal, () => child.signal(signal));
  let failure: unknown;
  deliverer = new Deliverer(relay, agent, (error) => {
    failure = error;
  });
  deliverer.look();

  const end = await child.ended;
  await screen.settled();
  terminal.close();
  putBack();
  process.off('exit', putBack);
  agent.close();
  await deliverer.end();
  screen.dispose();
  return failure === undefined ? end : { ...end, failure };
}

/**
 * Stops with the CLI, as one job of the person's shell. In a terminal of its own the CLI cannot stop by itself: nobody there
 * would bring it back.
 */
function suspend(terminal: PersonTerminal, child: Child): void {
  terminal.restore('');
  process.kill(0, 'SIGTSTP');
  // The shell has brought us back.
  terminal.takeOver();
  child.signal('SIGCONT');
  child.resize(terminal.size.columns, terminal.size.rows);
}

/** Who commands and servers are that the CLI starts. */
async function identityOf(relay: Relay): Promise<Record<string, string>> {
  const token = await tokenFor(relay, process.env);
  return {
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
