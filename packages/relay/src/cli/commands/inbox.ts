import { Command } from 'commander';
import { asAgent } from '../connection.ts';
import { messageLines } from '../message-lines.ts';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  wholeNumber,
  withAgent,
  withJson,
  withProject,
} from '../options.ts';
import { plural, print, printJson, styled } from '../terminal.ts';

type Options = ProjectOption &
  JsonOption &
  AgentOption & { all?: boolean; limit: number; from?: string; peek?: boolean };

export const command = withJson(withAgent(withProject(new Command('inbox'))))
  .description('Show your unread messages and mark them read.')
  .option('--all', 'also those read before')
  .option('--limit <count>', 'at most so many', wholeNumber(1), 10)
  .option('--from <name>', 'only from this sender')
  .option('--peek', 'leave them unread')
  .action(async (options: Options) => {
    const inbox = await asAgent(options, (relay) =>
      relay.inbox({
        limit: options.limit,
        unreadOnly: !options.all,
        markRead: !options.peek,
        ...(options.from === undefined ? {} : { from: options.from }),
      }),
    );
    if (options.json) return printJson(inbox);
    if (inbox.messages.length === 0) return print('No messages in inbox.');
    print(inbox.messages.map(messageLines).join('\n'));
    if (inbox.unread > 0) print(styled('dim', `${plural(inbox.unread, 'unread message')} left.`));
  });
