import { setTimeout as delay } from 'node:timers/promises';
import { isRelayError } from '@agent-relay/protocol';
import { connect, type NodeConnectOptions, type Relay } from '@agent-relay/sdk/node';
import { adapterOf } from '../clis/clis.ts';
import { type ConfiguredCli, configuredCli } from '../clis/configured.ts';
import type { ChildEnd } from '../pty/child.ts';
import { AgentHost } from './agent-host.ts';
import { installedVersion } from './installed-version.ts';
import { patternsOf } from './patterns-of.ts';
import { prepareProgram } from './prepare-program.ts';
import { proofOf } from './proof-of.ts';
import { openRunDirectory } from './run-directory.ts';

/** An agent to run for the daemon. */
export interface DetachedRun {
  run: string;
  name: string;
  token: string;
  project: string;
  cli: string;
  configured?: ConfiguredCli | undefined;
  file: string;
  args: readonly string[];
  model?: string | undefined;
  /** The conversation of an earlier run to resume. */
  resume?: string | undefined;
  cwd: string;
  env: Record<string, string>;
  /** Run commands in the agent's text. Default: true. */
  patterns?: boolean | undefined;
}

export interface DetachedOptions {
  /** How the relay's MCP server is started: a program and its arguments. */
  server: readonly [string, ...string[]];
  client: NonNullable<NodeConnectOptions['client']>;
}

/** The initial size, until someone attaches. */
const SIZE = { columns: 120, rows: 40 };
const CONNECT_MS = 30_000;
const RETRY_MS = 250;
const ENDING = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/** Runs an agent without a person's terminal, until it ends or is released. */
export async function runDetached(
  wanted: DetachedRun,
  { server, client }: DetachedOptions,
): Promise<ChildEnd> {
  const { run, name, token, project, cli, file, cwd, env, configured, model, resume } = wanted;
  const adapter = configured ? configuredCli(cli, configured) : adapterOf(cli);
  const [, ...leading] = configured?.command ?? [cli];
  const args = [...modelArguments(model, configured), ...wanted.args];
  await using relay = await connectPatiently({
    env,
    project,
    name,
    token,
    cli,
    paths: adapter.paths?.({ args, native: false }) ?? ['pty'],
    receiver: run,
    client,
  });
  await using directory = await openRunDirectory(env);
  const prepared = await prepareProgram(relay, {
    adapter,
    file,
    leading,
    args,
    cwd,
    env,
    server,
    directory,
    resume,
  });
  await using channel = prepared.channel;
  await using tools = prepared.tools;
  const version = await installedVersion(file);
  const host = new AgentHost({
    relay,
    run: {
      id: run,
      cli,
      args: [...wanted.args],
      version,
      session: prepared.session,
    },
    program: { ...prepared.program, ...SIZE },
    reader: adapter.screen,
    channel,
    tools,
    resumption: adapter.resumption,
    proof: proofOf(adapter, version, env),
    patterns: wanted.patterns === false ? undefined : patternsOf(adapter, env),
  });
  // Nobody could resume it with `fg`.
  host.onSuspended = () => host.signal('SIGCONT');
  host.onSizeWanted = (columns, rows) => host.resize(columns, rows);
  const end = () => void host.end();
  for (const signal of ENDING) process.on(signal, () => host.stop(signal));
  // It is no longer this agent, so nobody could release it.
  relay.on('closed', (error) => {
    if (error) end();
  });
  const ended = await host.ended;
  // End everything it started.
  await host.end();
  await host.close();
  return ended;
}

/** The daemon that started this process may be restarting. */
async function connectPatiently(options: NodeConnectOptions): Promise<Relay> {
  const deadline = performance.now() + CONNECT_MS;
  for (;;) {
    try {
      return await connect(options);
    } catch (error) {
      if (!isRelayError(error) || !error.retryable || performance.now() > deadline) throw error;
      await delay(RETRY_MS);
    }
  }
}

function modelArguments(model: string | undefined, configured: ConfiguredCli | undefined): string[] {
  if (model === undefined) return [];
  return (configured?.model ?? ['--model', '{model}']).map((word) => word.replaceAll('{model}', model));
}
