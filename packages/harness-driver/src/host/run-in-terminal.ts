import { randomUUID } from 'node:crypto';
import { findCommand } from '@agent-relay/platform/processes';
import { RelayError } from '@agent-relay/protocol';
import type { NodeConnectOptions } from '@agent-relay/sdk/node';
import { adapterOf } from '../clis/clis.ts';
import type { Attention } from '../delivery/attention.ts';
import type { ChildEnd } from '../pty/child.ts';
import { PersonTerminal } from '../terminal/person-terminal.ts';
import { type AgentProfile, connectAgent } from './agent-connection.ts';
import { AgentHost } from './agent-host.ts';
import { installedVersion } from './installed-version.ts';
import { patternsOf } from './patterns-of.ts';
import { prepareProgram } from './prepare-program.ts';
import { openRunDirectory } from './run-directory.ts';

export interface RunOptions extends AgentProfile {
  /** The CLI and its arguments. */
  command: readonly string[];
  /** How the relay's MCP server is started: a program and its arguments. */
  server: readonly [string, ...string[]];
  client: NonNullable<NodeConnectOptions['client']>;
  attention?: Attention | undefined;
  /** Use the CLI's own interface for messages, if it has one. */
  native?: boolean | undefined;
  /** The conversation of an earlier run to go on with. */
  resume?: string | undefined;
  /** Commands in the agent's own text count. Default: true. */
  patterns?: boolean | undefined;
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
  const [command = '', ...args] = options.command;
  const { env } = process;
  const cwd = process.cwd();
  const adapter = adapterOf(command);
  const file = await findCommand(command, env, cwd);
  const { server, client, attention, native = false, resume } = options;
  const paths = adapter.paths?.({ args, native });
  await using relay = await connectAgent(options, adapter.word, { env, client, paths });
  await using directory = await openRunDirectory(env);
  const prepared = await prepareProgram(relay, {
    adapter,
    file,
    args,
    cwd,
    env,
    server,
    directory,
    native,
    resume,
  });
  await using channel = prepared.channel;
  const { session } = prepared;
  const version = await installedVersion(file);
  const run = { id: `run_${randomUUID()}`, cli: adapter.word, args, version, session };

  let host: AgentHost | undefined;
  terminal.takeOver();
  const putBack = () => terminal.restore(host?.undoModes() ?? '');
  process.once('exit', putBack);
  const program = { ...prepared.program, ...terminal.size };
  const patterns = options.patterns === false ? undefined : patternsOf(adapter, env);
  const { screen: reader, resumption } = adapter;
  host = new AgentHost({ relay, run, program, reader, channel, attention, resumption, patterns });
  show(host, terminal);
  const end = await host.ended;
  terminal.close();
  putBack();
  process.off('exit', putBack);
  const failure = await host.close();
  return failure === undefined ? end : { ...end, failure };
}

/** Makes the person's terminal the program's. */
function show(host: AgentHost, terminal: PersonTerminal): void {
  host.addViewer(terminal);
  host.onSuspended = () => suspend(terminal, host);
  terminal.onKeys((keys) => host.press(keys));
  terminal.onResize(({ columns, rows }) => host.resize(columns, rows));
  terminal.onGone(() => host.signal('SIGHUP'));
  for (const signal of FORWARDED) process.on(signal, () => host.signal(signal));
}

/**
 * Stops with the CLI, as one job of the person's shell. In a terminal of its own the CLI cannot stop by itself: nobody there
 * would bring it back.
 */
function suspend(terminal: PersonTerminal, host: AgentHost): void {
  terminal.restore('');
  process.kill(0, 'SIGTSTP');
  // The shell has brought us back.
  terminal.takeOver();
  host.signal('SIGCONT');
  host.resize(terminal.size.columns, terminal.size.rows);
}
