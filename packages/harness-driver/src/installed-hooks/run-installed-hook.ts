import { randomUUID } from 'node:crypto';
import { type AddressedMessage, isRelayError } from '@agent-relay/protocol';
import {
  connect,
  type Environment,
  type NodeConnectOptions,
  type Relay,
  untilToolsListed,
} from '@agent-relay/sdk/node';
import { textAt } from '../app-server/rpc.ts';
import { envelopeOf } from '../delivery/envelope.ts';
import { HookSession } from './hook-session.ts';
import {
  answerWith,
  type HookAnswer,
  type HookTask,
  isWaiting,
  SILENT,
  taskAt,
  type WaitingTask,
} from './hooked-clis.ts';
import { ownAttention } from './own-attention.ts';

export interface InstalledHookOptions {
  cli: string;
  /** The CLI's input for the hook, as JSON. */
  input: string;
  /** The CLI's process. */
  parent: number;
  env: Environment;
  client: NonNullable<NodeConnectOptions['client']>;
  /** Aborted when the CLI ends or another process waits: later output would not be read. */
  signal: AbortSignal;
}

/** Maximum number of messages in one answer. */
const MOST_MESSAGES = 16;
/** A CLI has listed the relay's tools within this time, or does without them. */
const TOOLS_MS = 30_000;

/**
 * A hook of a CLI that was not started by `agent-relay run`: hands over the agent's messages. Without a daemon, and in a
 * run of the relay, which has its own paths, it does nothing.
 */
export async function runInstalledHook(options: InstalledHookOptions): Promise<HookAnswer> {
  const { cli, env, client } = options;
  const input: unknown = JSON.parse(options.input);
  const event = textAt(input, 'hook_event_name') ?? '';
  const task = taskAt(cli, event);
  const id = textAt(input, 'session_id');
  if (task === undefined || id === undefined || env.RELAY_RUN) return SILENT;
  // A print run of Claude Code waits for its hooks.
  if (isWaiting(task) && env.CLAUDE_CODE_ENTRYPOINT !== 'cli') return SILENT;
  const session = await HookSession.open(cli, id, env);
  try {
    // Not one receiver for all: each would be given what another one that runs now has claimed.
    await using relay = await connect({
      env,
      cli,
      client,
      paths: ['hook'],
      receiver: `hook-${randomUUID()}`,
    });
    const seen = await session.takeSeen(textAt(input, 'prompt') ?? '', textAt(input, 'transcript_path'));
    await relay.paths.report('hook', seen, 'injected');
    const messages = isWaiting(task)
      ? await untilMail(relay, session, task, options)
      : await present(relay, task);
    if (messages.length === 0) return SILENT;
    const texts = messages.map((message) => envelopeOf(message));
    await session.handOver(messages.map((message) => message.id));
    return answerWith(texts.join('\n\n'), cli, event, task);
  } catch (error) {
    // Without a daemon, stay silent.
    if (isRelayError(error)) return SILENT;
    throw error;
  }
}

async function present(relay: Relay, task: HookTask): Promise<AddressedMessage[]> {
  if (task === 'in turn') {
    const attention = await ownAttention(relay);
    if (attention === 'end-of-turn') return [];
    if (attention !== undefined) return await claim(relay);
    const { messages } = await relay.inbox({ limit: 100, markRead: false });
    if (!messages.some(({ importance }) => importance === 'urgent')) return [];
  }
  return await claim(relay);
}

/** Only the newest process of a session waits. */
async function untilMail(
  relay: Relay,
  session: HookSession,
  task: WaitingTask,
  { signal, parent, env }: InstalledHookOptions,
): Promise<AddressedMessage[]> {
  await session.takeLock();
  try {
    // Until a path says that it is ready, the daemon shows it as starting.
    if (task === 'wait for tools')
      await untilToolsListed(parent, env, AbortSignal.any([signal, AbortSignal.timeout(TOOLS_MS)]));
    // The signal may come seconds after the end of the CLI, and nobody would read a message claimed meanwhile.
    const isOver = () => signal.aborted || process.ppid !== parent;
    while (!isOver() && relay.state !== 'closed' && (await session.holdsLock())) {
      const { promise: again, resolve } = Promise.withResolvers<void>();
      const stops = (['mail.claimable', 'connected', 'closed'] as const).map((event) =>
        relay.on(event, () => resolve()),
      );
      signal.addEventListener('abort', () => resolve(), { once: true });
      const messages = await waitedFor(relay, task, isOver).catch(ignorePassing);
      if (messages.length === 0 && !signal.aborted) await again;
      for (const stop of stops) stop();
      if (messages.length > 0) return messages;
    }
    return [];
  } finally {
    await session.unlock();
  }
}

/** The messages that arrived meanwhile; none during a turn, if the agent wants them after it. */
async function waitedFor(
  relay: Relay,
  task: WaitingTask,
  isOver: () => boolean,
): Promise<AddressedMessage[]> {
  if (task === 'wait in turn' && (await ownAttention(relay)) === 'end-of-turn') {
    await relay.paths.waits('hook', { code: 'attention' });
    return [];
  }
  await relay.paths.ready('hook');
  return isOver() ? [] : await claim(relay, 1);
}

/** All that was claimed is handed over: it would be `uncertain` when this process ends. */
const claim = (relay: Relay, limit = MOST_MESSAGES): Promise<AddressedMessage[]> =>
  relay.paths.claim('hook', { limit });

function ignorePassing(error: unknown): AddressedMessage[] {
  if (!isRelayError(error) || !(error.retryable || error.code === 'Cancelled')) throw error;
  return [];
}
