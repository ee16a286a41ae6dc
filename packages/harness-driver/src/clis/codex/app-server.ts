import { AppServerProxy } from '../../app-server/app-server-proxy.ts';
import { ThreadIngress } from '../../app-server/thread-ingress.ts';
import type { Channel, RunFacts, RunSetup } from '../adapter.ts';

/** Options for the server, with their values. */
const FOR_THE_SERVER = /^(-c|--config|--enable|--disable)(=|$)/;

/** Subcommands and profiles do not work with a separate server. */
export const hasAppServer = ({ args, native }: Pick<RunFacts, 'args' | 'native'>): boolean =>
  native && !/^[a-z][a-z-]*$/.test(args[0] ?? '') && !args.some((word) => /^(-p|--profile)(=|$)/.test(word));

/** Runs the CLI's terminal and its server separately, with the relay in between. */
export async function withAppServer(run: RunFacts, toolOptions: readonly string[]): Promise<RunSetup> {
  const socketPath = await run.socketPath('codex');
  if (socketPath === undefined) return { args: ['--no-daemon', ...toolOptions], env: { ...run.server.env } };
  const env = { ...run.env, ...run.server.env };
  const args = ['app-server', '--stdio', ...toolOptions, ...serverOptions(run.args)];
  const proxy = await AppServerProxy.start(socketPath, { file: run.file, args, cwd: run.cwd, env });
  const channel: Channel = {
    open: (agent) => new ThreadIngress(proxy, agent),
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
  return { args: ['--remote', `unix://${socketPath}`], env: { ...run.server.env }, channel };
}

function serverOptions(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.flatMap((word, index) => {
    if (!FOR_THE_SERVER.test(word)) return [];
    return word.includes('=') && word.startsWith('--') ? [word] : [word, options[index + 1] ?? ''];
  });
}
