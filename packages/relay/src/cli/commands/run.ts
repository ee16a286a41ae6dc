import { constants } from 'node:os';
import type { RunOptions } from '@agent-relay/harness-driver';
import { errorLines, isRelayError, RelayError } from '@agent-relay/protocol';
import { Command } from 'commander';
import { VERSION } from '../../version.ts';
import { oneOf, type ProjectOption, withProject } from '../options.ts';
import { PROGRAM } from '../program-file.ts';

type Options = ProjectOption & {
  name?: string;
  lead?: boolean;
  channels?: string[];
  attention?: RunOptions['attention'];
  native?: boolean;
  patterns: boolean;
};

const ATTENTIONS = ['now', 'next-tool-call', 'end-of-turn'];

export const command = withProject(new Command('run'))
  .description('Run an agent CLI or any program in this terminal and type its messages in')
  .usage('[options] -- <program> [arguments...]')
  .argument('<program...>', 'program and its arguments, after --')
  .option('--name <name>', 'agent name (default: $RELAY_AGENT_NAME, else the program name)')
  .option('--lead', 'make it the lead of the project')
  .option('--channels <list>', 'comma-separated channels to join', channelList)
  .addOption(oneOf('--attention <when>', 'when messages come while the agent works', ATTENTIONS))
  .option('--native', "bring messages in by the CLI's own interface, if it has one (codex)")
  .option('--no-patterns', 'ignore ->relay: and ->mcp: lines in what the agent writes')
  .passThroughOptions()
  .action(async (program: string[], options: Options) => {
    const { runInTerminal } = await import('@agent-relay/harness-driver');
    const end = await runInTerminal({
      ...options,
      command: program,
      server: [process.execPath, PROGRAM, 'mcp', 'serve'],
      client: { name: 'agent-relay', version: VERSION },
    });
    if (end.failure !== undefined) tellFailure(end.failure);
    process.exit(end.signal === undefined ? end.code : 128 + constants.signals[end.signal]);
  });

function tellFailure(failure: unknown): void {
  const error = isRelayError(failure) ? failure : new RelayError('Internal', String(failure));
  process.stderr.write(`note: messages were no longer delivered to this terminal.\n${errorLines(error)}`);
}

function channelList(text: string): string[] {
  return text.split(/[,\s]+/).filter((channel) => channel !== '');
}
