import { useEffect } from 'preact/hooks';
import { phase, relay } from '../connection/connection.ts';
import { type MessageCounts, messageCounts } from '../model/message-counts.ts';
import { trafficVersion } from '../model/project.ts';
import { now } from '../parts/time.tsx';

const AGAIN_MS = 3_000;
const lastAsked = new Map<string, number>();

async function ask(sender: string): Promise<void> {
  const isRecent = Date.now() - (lastAsked.get(sender) ?? 0) < AGAIN_MS;
  if (isRecent && messageCounts.peek().has(sender)) return;
  lastAsked.set(sender, Date.now());
  const counts = await relay().messageCounts(sender === '' ? {} : { agent: sender });
  messageCounts.value = new Map(messageCounts.peek()).set(sender, counts);
}

/** Keeps the counts of one sender, or of all, up to date while something shows them. */
export function useMessageCounts(sender = ''): MessageCounts | undefined {
  // Asked again when messages arrive and as time passes.
  const [version, time] = [trafficVersion.value, now.value];
  const isLive = phase.value === 'live';
  useEffect(() => {
    if (!isLive) return undefined;
    const waitMs = Math.max(0, (lastAsked.get(sender) ?? 0) + AGAIN_MS - Date.now());
    const isNew = !messageCounts.peek().has(sender);
    const timer = setTimeout(
      () => {
        // What was shown stays: the page says that the daemon is away, or that the agent is gone.
        ask(sender).catch(() => lastAsked.delete(sender));
      },
      isNew ? 0 : waitMs,
    );
    return () => clearTimeout(timer);
  }, [sender, version, time, isLive]);
  return messageCounts.value.get(sender);
}
