import { type AgentInfo, isRelayError, type OperationResult, RelayError } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  patience,
  withAgent,
  withJson,
  withProject,
} from '../../options.ts';
import { notReadyLines } from '../../output/not-ready.ts';
import { print, printJson } from '../../output/terminal.ts';
import { inheritedEnvironment } from '../../process/inherited-environment.ts';
import { runHere } from '../../run/run-here.ts';
import { asAgent } from '../../target/connect.ts';

type Options = ProjectOption & AgentOption & JsonOption & { all?: boolean; wait?: number };
type Resumed = OperationResult<'RESUME'>;

export const command = withAgent(withJson(withProject(new Command('resume'))))
  .description('Restart an ended agent in the same conversation')
  .argument('[agent]', 'agent name')
  .option('--all', 'all spawned agents that did not end by themselves, one after the other')
  .option('--wait <time>', 'how long to wait until it is ready, e.g. 90s (default: 20s)', patience)
  .action(async (agent: string | undefined, options: Options) => {
    if ((agent === undefined) === (options.all === undefined)) {
      throw new RelayError('InvalidRequest', 'Name the agent to resume, or use --all.', {
        next: 'List the agents with: agent-relay who --all',
      });
    }
    if (agent === undefined) return await asAgent(options, (relay) => resumeAll(relay, options));
    const resumed = await asAgent(options, (relay) => resume(relay, agent, options));
    if (resumed.status !== 'foreground') return options.json ? printJson(resumed) : print(textOf(resumed));
    if (options.json) return printJson(resumed);
    const { name, cli, args, cwd, session, choices } = resumed;
    process.chdir(cwd);
    await runHere({ ...choices, command: [cli, ...args], name, project: options.project, resume: session });
  });

const resume = (relay: Relay, agent: string, { wait }: Options): Promise<Resumed> =>
  relay.workers.resume(agent, {
    ...(wait === undefined ? {} : { waitMs: wait }),
    ...inheritedEnvironment(process.env),
  });

/** After a reboot: one that fails does not keep the others from starting. */
async function resumeAll(relay: Relay, options: Options): Promise<void> {
  const agents = (await relay.who({ includeOffline: true })).filter(wasInterrupted);
  const names = agents.filter(({ run }) => run?.spawned).map(({ name }) => name);
  const outcomes: object[] = [];
  for (const [index, name] of names.entries()) {
    if (!options.json) print(`Resuming ${name} (${index + 1} of ${names.length})`);
    try {
      const resumed = await resume(relay, name, options);
      outcomes.push(resumed);
      if (!options.json) print(textOf(resumed));
    } catch (error) {
      if (!isRelayError(error)) throw error;
      outcomes.push({ name, error: error.toPayload() });
      process.exitCode = 1;
      if (!options.json) print(`${name} was not resumed: ${error.message}\nnext: ${error.next}`);
    }
  }
  if (options.json) return printJson(outcomes);
  if (names.length === 0) print('No spawned agents to resume.');
  const others = agents.filter(({ run }) => !run?.spawned && run?.resumable).map(({ name }) => name);
  for (const name of others) print(`${name} ran in a terminal. Resume it in one: agent-relay resume ${name}`);
}

/** Offline, and not seen to end by itself. */
const wasInterrupted = ({ status, run }: AgentInfo): boolean =>
  status === 'offline' && run !== undefined && (run.endedAt === undefined || run.ended !== undefined);

const textOf = ({ name, ...resumed }: Resumed): string =>
  resumed.status === 'spawning' ? notReadyLines(name, resumed.reason) : `${name} is ready.`;
