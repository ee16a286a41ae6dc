import { Command } from 'commander';
import { asViewer } from '../connection.ts';
import { messageLines } from '../message-lines.ts';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  wholeNumber,
  withJson,
  withProject,
  withViewer,
} from '../options.ts';
import { print, printJson, styled } from '../terminal.ts';

type Options = ProjectOption & AgentOption & JsonOption & { limit: number };

export const command = withJson(withViewer(withProject(new Command('thread'))))
  .description('Show a thread from its beginning.')
  .argument('<id>', 'its name, or the id of any message in it')
  .option('--limit <count>', 'at most so many', wholeNumber(1), 50)
  .action(async (id: string, options: Options) => {
    const { limit } = options;
    const thread = await asViewer(options, (relay) => relay.thread(id, { limit }));
    if (options.json) return printJson(thread);
    print(thread.messages.map(messageLines).join('\n'));
    const last = thread.messages.at(-1);
    if (!thread.more || !last) return;
    print(styled('dim', `There are more: agent-relay history --thread ${thread.thread} --after ${last.seq}`));
  });
