import { type AddressedMessage, isRelayError } from '@agent-relay/protocol';
import { connect, type NodeConnectOptions, type Relay } from '@agent-relay/sdk/node';
import { envelopeOf } from '../delivery/envelope.ts';
import { hookTimeLeft } from '../hooks/hook-deadline.ts';
import { answerInTime, withinTime } from './answer-in-time.ts';
import { type HookInput, readHookInput } from './hook-input.ts';
import { HookSession } from './hook-session.ts';
import { answerWith, type HookAnswer, type HookTask, isWaiting, SILENT, taskAt } from './hooked-clis.ts';
import { ownAttention } from './own-attention.ts';
import { claimMessages, untilMail, type Waiting } from './until-mail.ts';

export interface InstalledHookOptions extends Waiting {
  cli: string;
  /** The CLI's input for the hook, as JSON. */
  input: AsyncIterable<unknown>;
  client: NonNullable<NodeConnectOptions['client']>;
}

/**
 * A hook of a CLI that was not started by `agent-relay run`: hands over the agent's messages. Without a daemon, and in a
 * run of the relay, which has its own paths, it does nothing. A CLI never sees an error of the relay.
 */
export async function runInstalledHook(options: InstalledHookOptions): Promise<HookAnswer> {
  if (options.env.RELAY_RUN) return SILENT;
  try {
    const input = await withinTime(hookTimeLeft(), 'The CLI', readHookInput(options.input));
    return await answerTo(input, options);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { error: `agent-relay: ${why.replaceAll('\n', ' ')}\n`, code: 0 };
  }
}

async function answerTo(input: HookInput, options: InstalledHookOptions): Promise<HookAnswer> {
  const { cli, env } = options;
  const task = taskAt(cli, input.event);
  if (task === undefined) return SILENT;
  // A print run of Claude Code waits for its hooks.
  if (isWaiting(task) && env.CLAUDE_CODE_ENTRYPOINT !== 'cli') return SILENT;
  const session = await HookSession.open(cli, input.session, env);
  let messages: AddressedMessage[];
  try {
    messages = isWaiting(task)
      ? await waitForMail(session, task, input, options)
      : await askForMail(session, task, input, options);
  } catch (error) {
    // Without a daemon, stay silent.
    if (isRelayError(error)) return SILENT;
    throw error;
  }
  if (messages.length === 0) return SILENT;
  const texts = messages.map((message) => envelopeOf(message));
  await noteHandedOver(session, messages);
  return answerWith(texts.join('\n\n'), cli, input.event, task);
}

/** Without the note a message stays `uncertain`; without an answer it would be lost. */
async function noteHandedOver(session: HookSession, messages: readonly AddressedMessage[]): Promise<void> {
  try {
    await session.handOver(messages.map(({ id }) => id));
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}

type Options = Pick<InstalledHookOptions, 'cli' | 'env' | 'client'>;

const enter = ({ env, cli, client }: Options, receiver?: string): Promise<Relay> =>
  connect({ env, cli, client, paths: ['hook'], ...(receiver && { receiver }) });

async function waitForMail(
  session: HookSession,
  task: Parameters<typeof untilMail>[2],
  input: HookInput,
  options: InstalledHookOptions,
): Promise<AddressedMessage[]> {
  await using relay = await enter(options);
  await reportSeen(relay, session, input);
  return await untilMail(relay, session, task, options);
}

/** The CLI waits meanwhile. */
async function askForMail(
  session: HookSession,
  task: HookTask,
  input: HookInput,
  options: Options,
): Promise<AddressedMessage[]> {
  const claimant = await session.claimant();
  try {
    const messages = await answerInTime(session.hang, async () => {
      const relay = await enter(options, claimant.receiver);
      await reportSeen(relay, session, input);
      const claimed = (await isDue(relay, task)) ? await claimMessages(relay) : undefined;
      // The process ends at once, and its connection with it.
      void relay.close();
      return claimed;
    });
    await claimant.settled(messages !== undefined);
    return messages ?? [];
  } catch (error) {
    // After a timeout the claim may still be granted: the next hook finds out.
    if (!isRelayError(error, 'Timeout')) await claimant.settled(false);
    throw error;
  }
}

/** What an earlier answer of a hook handed over and the CLI has taken. */
async function reportSeen(
  relay: Relay,
  session: HookSession,
  { prompt, transcript }: HookInput,
): Promise<void> {
  const seen = await session.seenIn(prompt, transcript);
  try {
    await relay.paths.report('hook', seen, 'injected');
  } catch (error) {
    // What the daemon does not know any more is never reported again.
    if (isRelayError(error) && !error.retryable) await session.forget(seen);
    throw error;
  }
  await session.forget(seen);
}

/** Whether the agent gets messages at this moment. */
async function isDue(relay: Relay, task: HookTask): Promise<boolean> {
  if (task !== 'in turn') return true;
  const attention = await ownAttention(relay);
  if (attention !== undefined) return attention !== 'end-of-turn';
  const { messages } = await relay.inbox({ limit: 100, markRead: false });
  return messages.some(({ importance }) => importance === 'urgent');
}
