import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { findCommand } from '@agent-relay/platform/processes';
import { type Attention, RelayError } from '@agent-relay/protocol';
import type { NodeConnectOptions, Relay } from '@agent-relay/sdk/node';
import { adapterOf } from '../clis/clis.ts';
import type { ChildEnd } from '../pty/child.ts';
import { Notice } from '../terminal/notice.ts';
import { PersonTerminal } from '../terminal/person-terminal.ts';
import { type AgentProfile, connectAgent, makeLead } from './agent-connection.ts';
import { AgentHost, hostFacts } from './agent-host.ts';
import { installedVersion } from './installed-version.ts';
import { patternsOf } from './patterns-of.ts';
import { prepareProgram } from './prepare-program.ts';
import { proofOf } from './proof-of.ts';
import { openRunDirectory } from './run-directory.ts';

export interface RunOptions extends AgentProfile {
  /** The CLI and its arguments. */
  command: readonly string[];
  /** How the relay's MCP server is started: a program and its arguments. */
  server: readonly [string, ...string[]];
  client: NonNullable<NodeConnectOptions['client']>;
  /** Called once the agent has its name, before anything is drawn. */
  onConnected?: (relay: Relay) => Promise<void>;
  /** When the agent wants its messages while it works; without it, as it last chose. */
  attention?: Attention | undefined;
  /** Use the CLI's native interface for messages, if it has one. */
  native?: boolean | undefined;
  /** The conversation of an earlier run to resume. */
  resume?: string | undefined;
  /** Run commands in the agent's text. Default: true. */
  patterns?: boolean | undefined;
}

export interface RunResult extends ChildEnd {
  /** Why messages were no longer delivered, if that happened. */
  failure?: unknown;
  /** The name of the agent, if it was released. */
  released?: string;
}

const FORWARDED = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** Shells manage their own jobs, and Claude Code shows on its screen that it wants to stop. */
const STOPS_ALONE = new Set(['claude', 'bash', 'zsh', 'fish', 'sh', 'dash', 'ksh', 'tcsh', 'tmux']);

/** A viewer has taken over the keyboard. */
const DRIVEN = [
  ' Someone attached to this terminal is typing. Type to take over. ',
  ' A viewer is typing. Type to take over. ',
  ' A viewer is typing ',
];

/** Runs a CLI in the person's terminal and delivers the agent's messages to it. */
export async function runInTerminal(options: RunOptions): Promise<RunResult> {
  const terminal = new PersonTerminal();
  if (!terminal.isTerminal) {
    throw new RelayError('InvalidRequest', 'agent-relay run needs a terminal.', {
      next: 'Run it in a terminal, without redirecting its input or output.',
    });
  }
  const [command = '', ...args] = options.command;
  const { env } = process;
  const cwd = process.cwd();
  const adapter = adapterOf(command);
  const file = await findCommand(command, env, cwd);
  const { server, client, attention, native = false, patterns: hasPatterns = true, resume } = options;
  const paths = adapter.paths?.({ args, native });
  const id = `run_${randomUUID()}`;
  const { name: place } = terminal;
  const facts = { run: id, cli: adapter.word, args, cwd, ...hostFacts(place) };
  const reserve = (agent: Relay) => agent.request('HOST', facts);
  await using relay = await connectAgent(options, adapter.word, { env, client, paths, reserve });
  await options.onConnected?.(relay);
  if (options.lead) await makeLead(relay, env, client);
  if (attention !== undefined) await relay.setAttention(attention);
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
  await using tools = prepared.tools;
  const { session } = prepared;
  const version = await installedVersion(file);
  const choices = { ...(native && { native }), ...(!hasPatterns && { patterns: false }) };
  const run = { id, cli: adapter.word, args, choices, version, session, terminal: place };

  let host: AgentHost | undefined;
  terminal.takeOver();
  const putBack = () => terminal.restore(host?.undoModes() ?? '');
  process.once('exit', putBack);
  const isJob = !STOPS_ALONE.has(basename(command));
  const program = { ...prepared.program, ...terminal.size, isJob };
  const patterns = hasPatterns ? patternsOf(adapter, env) : undefined;
  const { screen: reader, resumption } = adapter;
  const proof = proofOf(adapter, version, env);
  host = new AgentHost({ relay, run, program, reader, channel, tools, resumption, proof, patterns });
  const notice = show(host, terminal);
  const end = await host.ended;
  notice.hide();
  terminal.close();
  putBack();
  process.off('exit', putBack);
  const failure = await host.close();
  const { name = adapter.word } = relay;
  return {
    ...end,
    ...(failure !== undefined && { failure }),
    ...(host.isReleased && { released: name }),
  };
}

/** Connects the person's terminal with the program. Returns its notices. */
function show(host: AgentHost, terminal: PersonTerminal): Notice {
  const notice = new Notice(
    (text) => terminal.write(typeof text === 'string' ? Buffer.from(text) : text),
    () => host.screen,
  );
  host.addViewer({ write: (output) => notice.pass(output) });
  host.onDriven = (isDriven) => (isDriven ? notice.show(DRIVEN) : notice.hide());
  host.onSuspended = () => suspend(terminal, host);
  terminal.onKeys((keys) => host.press(keys));
  terminal.onResize(({ columns, rows }) => {
    notice.forget();
    host.resize(columns, rows);
  });
  terminal.onGone(() => host.hangUp());
  for (const signal of FORWARDED) process.on(signal, () => host.signal(signal));
  return notice;
}

/**
 * Stops with the CLI, as one job of the person's shell. In its own terminal the CLI cannot stop by itself, because no
 * shell there would resume it.
 */
function suspend(terminal: PersonTerminal, host: AgentHost): void {
  terminal.restore('');
  process.kill(0, 'SIGTSTP');
  // The shell has resumed us.
  terminal.takeOver();
  host.signal('SIGCONT');
  host.resize(terminal.size.columns, terminal.size.rows);
}
