import { type AddressedMessage, isRelayError } from '@agent-relay/protocol';
import { type Environment, type Relay, untilToolsListed } from '@agent-relay/sdk/node';
import type { HookSession } from './hook-session.ts';
import type { WaitingTask } from './hooked-clis.ts';
import { ownAttention } from './own-attention.ts';

/** Maximum number of messages in one answer. */
const MOST_MESSAGES = 16;
/** A CLI has listed the relay's tools within this time, or does without them. */
const TOOLS_MS = 30_000;

export interface Waiting {
  /** The CLI's process. */
  parent: number;
  env: Environment;
  /** Aborted when the CLI ends or another process waits: later output would not be read. */
  signal: AbortSignal;
}

/** Only the newest process of a session waits. */
export async function untilMail(
  relay: Relay,
  session: HookSession,
  task: WaitingTask,
  { signal, parent, env }: Waiting,
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
  return isOver() ? [] : await claimMessages(relay, 1);
}

/** All that was claimed is handed over: it would be `uncertain` when this process ends. */
export const claimMessages = (relay: Relay, limit = MOST_MESSAGES): Promise<AddressedMessage[]> =>
  relay.paths.claim('hook', { limit });

function ignorePassing(error: unknown): AddressedMessage[] {
  if (!isRelayError(error) || !(error.retryable || error.code === 'Cancelled')) throw error;
  return [];
}
