import {
  MESSAGE_KINDS,
  type Message,
  type MessageKind,
  nameKey,
  parseChannelName,
} from '@agent-relay/protocol';
import { Command, Option } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  oneOf,
  type ProjectOption,
  wholeNumber,
  withAgent,
  withJson,
  withProject,
} from '../options.ts';
import { followedLines, messageLines } from '../output/message-lines.ts';
import { plural, print, printJson, styled } from '../output/terminal.ts';
import { untilInterrupted } from '../process/until-interrupted.ts';
import { asAgent, markRead } from '../target/connect.ts';

type Options = ProjectOption & JsonOption & AgentOption & Filter & Manner;

interface Filter {
  from?: string;
  channel?: string;
  thread?: string;
  kind?: MessageKind;
  mentions?: boolean;
}

interface Manner {
  all?: boolean;
  limit: number;
  peek?: boolean;
  follow?: boolean;
}

export const command = withJson(withAgent(withProject(new Command('inbox'))))
  .description('Show unread messages and mark them read')
  .option('--all', 'include messages you have read')
  .option('--limit <count>', 'maximum number of messages', wholeNumber(1), 10)
  .option('--from <name>', 'only messages from this sender')
  .option('--channel <name>', 'only messages in this channel')
  .option('--thread <id>', 'only messages in this thread')
  .addOption(oneOf('--kind <kind>', 'only messages of this kind', MESSAGE_KINDS))
  .option('--mentions', 'only messages that @mention you')
  .option('--peek', 'do not mark them read')
  .addOption(new Option('-f, --follow', 'keep showing new messages until Ctrl-C').conflicts(['all']))
  .action((options: Options) => (options.follow ? followInbox(options) : showInbox(options)));

const showInbox = (options: Options): Promise<void> =>
  asAgent(options, async (relay) => {
    const { messages, unread } = await relay.inbox({
      ...filterOf(options),
      limit: options.limit,
      unreadOnly: !options.all,
      markRead: false,
    });
    const shown = messages.filter(({ readAt }) => readAt === undefined).map(({ id }) => id);
    const left = options.peek ? unread : unread - shown.length;
    if (options.json) printJson({ messages, unread: left });
    else if (messages.length === 0) print('No messages in inbox.');
    else print(messages.map(messageLines).join('\n'));
    // Read is what has been shown, not what was about to be.
    if (!options.peek) await relay.observe(shown, 'read', 'pull');
    if (!options.json && left > 0) print(styled('dim', `${plural(left, 'unread message')} left.`));
  });

/** The unread messages, then each new one as it comes. What does not fit the filter stays unread. */
const followInbox = (options: Options): Promise<void> =>
  untilInterrupted((signal) =>
    asAgent(
      options,
      async (relay) => {
        if (signal.aborted) return;
        signal.addEventListener('abort', () => void relay.close());
        for await (const message of relay.messages()) {
          if (!fits(message, options, relay.name ?? '')) continue;
          if (options.json) printJson(message);
          else print(followedLines(message));
          if (!options.peek) await markRead(relay, message);
        }
      },
      { deliver: true },
    ),
  );

function filterOf({ from, channel, thread, kind, mentions }: Filter): Filter {
  return {
    ...(from === undefined ? {} : { from }),
    ...(channel === undefined ? {} : { channel }),
    ...(thread === undefined ? {} : { thread }),
    ...(kind === undefined ? {} : { kind }),
    ...(mentions === undefined ? {} : { mentions }),
  };
}

function fits(message: Message, { from, channel, thread, kind, mentions }: Filter, me: string): boolean {
  const same = (wanted: string, value = '') => nameKey(wanted) === nameKey(value);
  return (
    (from === undefined || same(from, message.from)) &&
    (channel === undefined || same(parseChannelName(channel), message.channel?.slice(1))) &&
    (thread === undefined || thread === message.thread) &&
    (kind === undefined || kind === message.kind) &&
    (!mentions || (message.mentions ?? []).some((name) => same(name, me)))
  );
}
