import {
  durationText,
  isRelayError,
  MESSAGE_KINDS,
  type Message,
  type MessageKind,
  nameKey,
  parseChannelName,
  RelayError,
} from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { Command, InvalidArgumentError, Option } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  oneOf,
  type ProjectOption,
  patience,
  wholeNumber,
  withAgent,
  withJson,
  withProject,
} from '../../options.ts';
import { followedLines, messageLines } from '../../output/message-lines.ts';
import { plural, print, printJson, styled } from '../../output/terminal.ts';
import { parentGone } from '../../process/parent.ts';
import { untilInterrupted } from '../../process/until-interrupted.ts';
import { asAgent, markRead } from '../../target/connect.ts';
import { knownName } from '../../target/known-name.ts';

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
  wait?: boolean;
  timeout?: number;
}

const FILTERS = ['from', 'channel', 'thread', 'kind', 'mentions'];
/** The longest wait of one request. */
const DAY_MS = 86_400_000;

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
  .addOption(
    new Option('--wait', 'wait for a message, show the first one and exit').conflicts([
      ...['all', 'limit', 'follow'],
      ...FILTERS,
    ]),
  )
  .option('--timeout <ms>', 'with --wait: exit with 6 after this time; also as 20s or 10m', patience)
  .action((options: Options) => {
    if (options.timeout !== undefined && !options.wait)
      throw new InvalidArgumentError('--timeout needs --wait.');
    if (options.follow) return followInbox(options);
    return options.wait ? waitForFirst(options) : showInbox(options);
  });

/** Waits as long as its parent process lives, which reads its output. */
const waitForFirst = (options: Options): Promise<void> =>
  untilInterrupted((interrupted) =>
    asAgent(options, async (relay) => {
      const signal = AbortSignal.any([interrupted, parentGone()]);
      const startedAt = performance.now();
      const left = (timeout: number) => Math.max(1, Math.round(startedAt + timeout - performance.now()));
      try {
        // Another reader may have taken the message that ended the wait.
        do await waitForMail(relay, options.timeout && left(options.timeout), signal);
        while (!(await show(relay, { ...options, limit: 1 })));
      } catch (error) {
        if (!signal.aborted) throw ofWholeTime(error, options.timeout);
      }
    }),
  );

/** It may have waited in several parts. */
const ofWholeTime = (error: unknown, timeoutMs: number | undefined): unknown =>
  timeoutMs !== undefined && isRelayError(error, 'Timeout')
    ? new RelayError('Timeout', `No message arrived within ${durationText(timeoutMs)}.`, {
        next: error.next,
        cause: error,
      })
    : error;

async function waitForMail(relay: Relay, timeoutMs: number | undefined, signal: AbortSignal): Promise<void> {
  while (true) {
    try {
      return await relay.waitForMail({ timeoutMs: timeoutMs ?? DAY_MS, signal });
    } catch (error) {
      if (timeoutMs !== undefined || !isRelayError(error, 'Timeout')) throw error;
    }
  }
}

const showInbox = (options: Options): Promise<void> =>
  asAgent(options, async (relay) => void (await show(relay, options)));

/** False if there is no message although one was awaited. */
async function show(relay: Relay, options: Options): Promise<boolean> {
  const { messages, unread } = await relay.inbox({
    ...filterOf(options),
    limit: options.limit,
    unreadOnly: !options.all,
    markRead: false,
    take: !options.peek,
  });
  if (options.wait && messages.length === 0) return false;
  const shown = messages.filter(({ readAt }) => readAt === undefined).map(({ id }) => id);
  const left = options.peek ? unread : unread - shown.length;
  if (options.json) printJson({ messages, unread: left });
  else if (messages.length === 0) print('No messages in inbox.');
  else print(messages.map(messageLines).join('\n'));
  // Mark as read only what has been shown.
  if (!options.peek) await relay.read(shown, { path: 'pull' });
  if (!options.json && left > 0) print(styled('dim', `${plural(left, 'unread message')} left.`));
  return true;
}

/** The unread messages, then each new one as it arrives. Messages that do not match the filter stay unread. */
const followInbox = (options: Options): Promise<void> =>
  untilInterrupted((signal) =>
    asAgent(options, async (relay) => {
      if (signal.aborted) return;
      signal.addEventListener('abort', () => void relay.close());
      const from = options.from && (await knownName(relay, options.from));
      const filter = { ...options, ...(from ? { from } : {}) };
      for await (const message of relay.messages()) {
        if (!fits(message, filter, relay.name ?? '')) continue;
        if (options.json) printJson(message);
        else print(followedLines(message));
        if (!options.peek) await markRead(relay, message);
      }
    }),
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
