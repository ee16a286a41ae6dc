import type { Relay } from '@agent-relay/sdk/node';
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
  .action((options: Options) => asAgent(options, (relay) => showInbox(relay, options)));

async function showInbox(relay: Relay, options: Options): Promise<void> {
  const { messages, unread } = await relay.request('INBOX', {
    limit: options.limit,
    unread_only: !options.all,
    ...(options.from === undefined ? {} : { from: options.from }),
  });
  const shown = messages.filter(({ readAt }) => readAt === undefined).map(({ id }) => id);
  const left = options.peek ? unread : unread - shown.length;
  if (options.json) printJson({ messages, unread: left });
  else if (messages.length === 0) print('No messages in inbox.');
  else print(messages.map(messageLines).join('\n'));
  // Read is what has been shown, not what was about to be.
  if (!options.peek) await relay.observe(shown, 'read', 'pull');
  if (!options.json && left > 0) print(styled('dim', `${plural(left, 'unread message')} left.`));
}
