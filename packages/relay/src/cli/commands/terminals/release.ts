import {
  type ErrorPayload,
  isRelayError,
  type OperationResult,
  RelayError,
  worktreeLines,
} from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  withAgent,
  withJson,
  withProject,
} from '../../options.ts';
import { print, printJson } from '../../output/terminal.ts';
import { asAgent } from '../../target/connect.ts';

type Options = ProjectOption & AgentOption & JsonOption & { all?: boolean; reason?: string };

export const command = withAgent(withJson(withProject(new Command('release'))))
  .description('Stop a spawned agent and everything it started; its name is free again')
  .argument('[agent]', 'agent name')
  .option('--all', 'all spawned agents of the project that you may release')
  .option('--reason <text>', 'reason, for the audit log')
  .action(async (agent: string | undefined, options: Options) => {
    if ((agent === undefined) === (options.all === undefined)) {
      throw new RelayError('InvalidRequest', 'Name the agent to release, or use --all.', {
        next: 'List the agents with: agent-relay who',
      });
    }
    const reason = options.reason === undefined ? {} : { reason: options.reason };
    if (agent === undefined) return await asAgent(options, (relay) => releaseAll(relay, reason, options));
    const released = await asAgent(options, (relay) => relay.workers.release(agent, reason));
    if (options.json) return printJson([released]);
    printReleased(released);
  });

/** One that cannot be released does not keep the others; workers of other agents stay. */
async function releaseAll(relay: Relay, reason: { reason?: string }, { json }: JsonOption): Promise<void> {
  const agents = await relay.who({ includeOffline: true });
  const names = agents.flatMap(({ name, run }) => (run?.spawned ? [name] : []));
  const releases = names.map((name) =>
    relay.workers.release(name, reason).catch((error) => failed(name, error)),
  );
  const outcomes = (await Promise.all(releases)).filter((outcome) => outcome !== undefined);
  if (outcomes.some((outcome) => 'error' in outcome)) process.exitCode = 1;
  if (json) return printJson(outcomes);
  for (const outcome of outcomes)
    if ('error' in outcome)
      print(`${outcome.name} was not released: ${outcome.error.message}\nnext: ${outcome.error.next}`);
    else printReleased(outcome);
  if (outcomes.length === 0) print('No spawned agents are running.');
}

function failed(name: string, error: unknown): { name: string; error: ErrorPayload } | undefined {
  if (!isRelayError(error)) throw error;
  // Not this agent's worker, or released by somebody else meanwhile.
  const isNotOurs = error.code === 'Forbidden' || error.code === 'AgentNotFound';
  return isNotOurs ? undefined : { name, error: error.toPayload() };
}

function printReleased({ name, worktree }: OperationResult<'RELEASE'>): void {
  print(`Released ${name}.`);
  if (worktree) for (const line of worktreeLines(worktree)) print(line);
}
