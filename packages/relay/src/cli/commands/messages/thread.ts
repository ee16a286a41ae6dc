import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  wholeNumber,
  withJson,
  withProject,
  withViewer,
} from '../../options.ts';
import { messageLines } from '../../output/message-lines.ts';
import { print, printJson, styled } from '../../output/terminal.ts';
import { asViewer } from '../../target/connect.ts';

type Options = ProjectOption & AgentOption & JsonOption & { limit: number };

export const command = withJson(withViewer(withProject(new Command('thread'))))
  .description('Show a thread from its start')
  .argument('<id>', 'thread id, or the id of any message in it')
  .option('--limit <count>', 'maximum number of messages', wholeNumber(1), 50)
  .action(async (id: string, options: Options) => {
    const { limit } = options;
    const thread = await asViewer(options, (relay) => relay.thread(id, { limit }));
    if (options.json) return printJson(thread);
    print(thread.messages.map(messageLines).join('\n'));
    const last = thread.messages.at(-1);
    if (!thread.more || !last) return;
    print(styled('dim', `More: agent-relay history --thread ${thread.thread} --after ${last.seq}`));
  });
