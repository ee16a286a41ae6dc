import { resolve } from 'node:path';
import { RelayError, safeLine } from '@agent-relay/protocol';
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
import { print, printAside, printJson, styled } from '../../output/terminal.ts';
import { inheritedEnvironment } from '../../process/inherited-environment.ts';
import { asAgent } from '../../target/connect.ts';

type Options = ProjectOption &
  AgentOption &
  JsonOption & {
    model?: string;
    cwd?: string;
    worktree?: boolean;
    setup?: string;
    channels?: string[];
    wait?: number;
  };

export const command = withAgent(withJson(withProject(new Command('spawn'))))
  .description('Start an agent CLI in the background, as a new agent that works for you')
  .usage('[options] <name> <cli> [task] [-- arguments...]')
  .argument('<name>', 'name of the new agent')
  .argument('<cli>', 'claude, codex, gemini, opencode, droid, agent, or one from your settings')
  .argument('[task]', 'its task, sent as its first message')
  .argument('[arguments...]', 'arguments for the CLI, after --')
  .option('--model <model>', 'model for the CLI')
  .option('--cwd <directory>', "working directory (default: the project's)")
  .option('--worktree', 'give it a git worktree and a branch of its own')
  .option('--setup <command>', 'shell command to run in the new worktree first')
  .option('--channels <list>', 'comma-separated channels to join', channelList)
  .option('--wait <time>', 'how long to wait until it is ready, e.g. 90s (default: 20s)', patience)
  .action(
    async (
      name: string,
      cli: string,
      first: string | undefined,
      more: string[],
      options: Options,
      command,
    ) => {
      const { task, args } = splitArguments([...(first === undefined ? [] : [first]), ...more], command);
      const { model, cwd, worktree, setup, channels, wait } = options;
      const spawned = await asAgent(options, (relay) => {
        // It may take a while.
        if (process.stderr.isTTY && !options.json)
          printAside(styled('dim', `Starting ${name}; waiting until it is ready…`, process.stderr));
        return relay.workers.spawn(name, cli, {
          ...(task === undefined ? {} : { task }),
          ...(model === undefined ? {} : { model }),
          ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
          ...(worktree === undefined ? {} : { worktree }),
          ...(setup === undefined ? {} : { setup }),
          ...(channels === undefined ? {} : { channels }),
          ...(wait === undefined ? {} : { waitMs: wait }),
          ...inheritedEnvironment(process.env),
          args,
          onProgress: (text) => process.stderr.write(`${safeLine(text)}\n`),
        });
      });
      if (options.json) return printJson(spawned);
      const { status, reason } = spawned;
      if (status === 'ready') return print(`${spawned.name} is ready.`);
      print(notReadyLines(spawned.name, reason));
    },
  );

/** Arguments after `--` are for the CLI; before it is the task, as one argument. */
function splitArguments(words: string[], command: Command): { task: string | undefined; args: string[] } {
  const { rawArgs } = topOf(command) as Command & { rawArgs: string[] };
  const end = rawArgs.indexOf('--');
  const behind = end < 0 ? 0 : rawArgs.length - end - 1;
  const before = words.slice(0, words.length - behind);
  const [task, extra] = before;
  if (extra !== undefined)
    throw new RelayError('InvalidRequest', `"${extra}" is one argument too many.`, {
      next: 'Put the task in quotes, and arguments for the CLI after --',
    });
  return { task, args: words.slice(before.length) };
}

const topOf = (command: Command): Command => (command.parent ? topOf(command.parent) : command);

function channelList(text: string): string[] {
  return text.split(/[,\s]+/).filter((channel) => channel !== '');
}
