import { isRelayError, type OperationResult, RelayError, worktreeLines } from '@agent-relay/protocol';
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
    const released = await asAgent(options, async (relay) => {
      const workers = agent === undefined ? await relay.who({ includeOffline: true }) : undefined;
      const names = workers?.flatMap(({ name, run }) => (run?.spawned ? [name] : [])) ?? [agent ?? ''];
      const ending = names.map(async (name) => {
        try {
          return [await relay.workers.release(name, reason)];
        } catch (error) {
          // With --all, workers of other agents stay.
          if (options.all && isRelayError(error, 'Forbidden')) return [];
          throw error;
        }
      });
      return (await Promise.all(ending)).flat();
    });
    if (options.json) return printJson(released);
    for (const one of released) printReleased(one);
    if (released.length === 0) print('No spawned agents are running.');
  });

function printReleased({ name, worktree }: OperationResult<'RELEASE'>): void {
  print(`Released ${name}.`);
  if (worktree) for (const line of worktreeLines(worktree)) print(line);
}
