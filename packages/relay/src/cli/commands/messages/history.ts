import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  pastTime,
  wholeNumber,
  withJson,
  withProject,
  withViewer,
} from '../../options.ts';
import { messageLines } from '../../output/message-lines.ts';
import { print, printJson, styled } from '../../output/terminal.ts';
import { asViewer } from '../../target/connect.ts';

interface Filter {
  agent?: string;
  channel?: string;
  thread?: string;
  since?: number;
  before?: number;
  after?: number;
  limit: number;
}

export const command = withJson(withViewer(withProject(new Command('history'))))
  .description('Show earlier messages, oldest first')
  .option('--agent <name>', 'only messages from or to this agent')
  .option('--channel <name>', 'only messages in this channel')
  .option('--thread <id>', 'only messages in this thread')
  .option('--since <time>', 'only messages since then: 2h, 3d or a date', pastTime)
  .option('--before <seq>', 'messages before this sequence number', wholeNumber(1))
  .option('--after <seq>', 'messages after this sequence number', wholeNumber(0))
  .option('--limit <count>', 'maximum number of messages', wholeNumber(1), 50)
  .action(async (options: Filter & ProjectOption & AgentOption & JsonOption) => {
    const { as: _as, project: _project, json, ...filter } = options;
    const page = await asViewer(options, (relay) => relay.history(filter));
    if (json) return printJson(page);
    if (page.messages.length === 0) return print('No messages.');
    print(page.messages.map(messageLines).join('\n'));
    const [first, last] = [page.messages[0], page.messages.at(-1)];
    if (!page.more || !first || !last) return;
    const cursor = filter.after === undefined ? `--before ${first.seq}` : `--after ${last.seq}`;
    print(styled('dim', `More: ${cursor}`));
  });
