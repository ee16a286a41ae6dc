import type { RunOptions } from '@agent-relay/harness-driver';
import { ATTENTIONS, RelayError } from '@agent-relay/protocol';
import { Command, Option } from 'commander';
import { oneOf, type ProjectOption, withProject } from '../../options.ts';
import { runHere } from '../../run/run-here.ts';

type Options = ProjectOption & {
  name?: string;
  lead?: boolean;
  channels?: string[];
  attention?: RunOptions['attention'];
  native?: boolean;
  patterns: boolean;
};

export const command = withProject(new Command('run'))
  .description('Run an agent CLI or any program in this terminal and deliver messages to it')
  .usage('[options] -- <program> [arguments...]')
  .argument('<program...>', 'program and its arguments, after --')
  .option('--name <name>', 'agent name (default: $RELAY_AGENT_NAME, else the program name)')
  // Other commands act as an existing agent; this one names a new one.
  .addOption(new Option('--as <name>').argParser(wantsName).hideHelp())
  .option('--lead', 'make it the lead of the project')
  .option('--channels <list>', 'comma-separated channels to join', channelList)
  .addOption(oneOf('--attention <when>', 'when to deliver messages while the agent works', ATTENTIONS))
  .option('--native', "deliver messages through the CLI's own interface, if it has one (codex)")
  .option('--no-patterns', "ignore ->relay: and ->mcp: lines in the agent's text")
  .passThroughOptions()
  .action(async (program: string[], options: Options) => {
    await runHere({ ...options, command: program });
  });

function wantsName(name: string): never {
  throw new RelayError('InvalidRequest', 'run has no option --as.', {
    next: `Name the agent with: --name ${name}`,
  });
}

function channelList(text: string): string[] {
  return text.split(/[,\s]+/).filter((channel) => channel !== '');
}
