import { isRelayError, type Message } from '@agent-relay/protocol';
import { connect, type Environment, type NodeConnectOptions, type Relay } from '@agent-relay/sdk/node';
import { textAt } from '../app-server/rpc.ts';
import { envelopeOf } from '../delivery/envelope.ts';
import { HookSession } from './hook-session.ts';
import { answerWith, type HookAnswer, type HookTask, SILENT, taskAt } from './hooked-clis.ts';

export interface InstalledHookOptions {
  cli: string;
  /** What the CLI tells its hook, as JSON. */
  input: string;
  env: Environment;
  client: NonNullable<NodeConnectOptions['client']>;
  /** Ends with the CLI, and when another one waits: nobody would read what is said afterwards. */
  signal: AbortSignal;
}

/** More is not put into one answer. */
const MOST_MESSAGES = 16;

/**
 * A hook of a CLI that was not started by `agent-relay run`: hands over the agent's messages. Without a daemon, and in a
 * run of the relay, which has its own ways, it does nothing.
 */
export async function runInstalledHook(options: InstalledHookOptions): Promise<HookAnswer> {
  const { cli, env, client } = options;
  const input: unknown = JSON.parse(options.input);
  const event = textAt(input, 'hook_event_name') ?? '';
  const task = taskAt(cli, event);
  const id = textAt(input, 'session_id');
  if (task === undefined || id === undefined || env.RELAY_RUN) return SILENT;
  // A print run of Claude Code would not end before its hooks.
  if (task === 'wait' && env.CLAUDE_CODE_ENTRYPOINT !== 'cli') return SILENT;
  const session = await HookSession.open(cli, id, env);
  try {
    await using relay = await connect({ env, cli, client, paths: ['hook'], receiver: session.receiver });
    const seen = await session.takeSeen(textAt(input, 'prompt') ?? '', textAt(input, 'transcript_path'));
    await relay.paths.report('hook', seen, 'injected');
    const messages =
      task === 'wait' ? await untilMail(relay, session, options.signal) : await present(relay, session, task);
    if (messages.length === 0) return SILENT;
    const agents = await relay.who({ includeOffline: true });
    const texts = messages.map((message) => envelopeOf(message, agents, relay.name ?? ''));
    await session.handOver(messages.map((message) => message.id));
    return answerWith(texts.join('\n\n'), cli, event, task);
  } catch (error) {
    // The CLI must not be bothered with a relay that is not there.
    if (isRelayError(error)) return SILENT;
    throw error;
  }
}

async function present(relay: Relay, session: HookSession, task: HookTask): Promise<Message[]> {
  if (task === 'urgent') {
    const { messages } = await relay.inbox({ limit: 100, markRead: false });
    if (!messages.some(({ importance }) => importance === 'urgent')) return [];
  }
  return await claim(relay, session);
}

/** One process of a session waits, the newest. */
async function untilMail(relay: Relay, session: HookSession, signal: AbortSignal): Promise<Message[]> {
  await session.takeLock();
  try {
    while (!signal.aborted && relay.state !== 'closed' && (await session.holdsLock())) {
      const { promise: again, resolve } = Promise.withResolvers<void>();
      const stops = (['mail.claimable', 'connected', 'closed'] as const).map((event) =>
        relay.on(event, () => resolve()),
      );
      signal.addEventListener('abort', () => resolve(), { once: true });
      await relay.paths.ready('hook').catch(ignorePassing);
      const messages = await claim(relay, session, 1).catch(ignorePassing);
      if (messages.length === 0 && !signal.aborted) await again;
      for (const stop of stops) stop();
      if (messages.length > 0) return messages;
    }
    return [];
  } finally {
    await session.unlock();
  }
}

/**
 * Those that an earlier process has handed over may be claimed for this program too; they never come again. Everything else
 * that was claimed is handed over: it would be `uncertain` when this process ends.
 */
async function claim(relay: Relay, session: HookSession, most = MOST_MESSAGES): Promise<Message[]> {
  const limit = Math.min(session.handed.length + most, 100);
  const messages = await relay.paths.claim('hook', { limit });
  return messages.filter(({ id }) => !session.handed.includes(id));
}

function ignorePassing(error: unknown): Message[] {
  if (!isRelayError(error) || !(error.retryable || error.code === 'Cancelled')) throw error;
  return [];
}
