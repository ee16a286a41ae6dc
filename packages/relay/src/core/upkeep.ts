import type { Clock } from './ports/clock.ts';
import type { Store } from './ports/store.ts';

interface Retention {
  /** Messages older than so many days are deleted; 0 keeps them for ever. */
  days: number;
}

const DAY_MS = 86_400_000;
const RETENTION_EVERY_MS = 3_600_000;
const INDEX_EVERY_MS = 1_000;
/** Rows of upkeep in one transaction: small, so that no message waits behind it for long. */
const DELETE_BATCH = 500;
const INDEX_BATCH = 32;

/** What the store needs from time to time and nobody asks for: old messages go, new ones become searchable. */
export function startUpkeep(
  store: Store,
  clock: Clock,
  retention: Retention,
  onError: (error: unknown) => void,
): () => void {
  let stopped = false;
  const stops = new Map<string, () => void>();

  const every = (name: string, ms: number, work: () => Promise<void>) => {
    let reported: string | undefined;
    const run = async () => {
      try {
        await work();
        reported = undefined;
      } catch (error) {
        // A full disk would otherwise be reported each time it is tried.
        if (!stopped && String(error) !== reported) onError(error);
        reported = String(error);
      }
      if (!stopped) stops.set(name, clock.after(ms, run));
    };
    // Also at the start: a daemon may never live as long as the pause.
    stops.set(name, clock.after(0, run));
  };

  every('search index', INDEX_EVERY_MS, async () => {
    while (!stopped && (await store.indexForSearch(INDEX_BATCH)) > 0);
  });
  if (retention.days > 0) {
    every('retention', RETENTION_EVERY_MS, async () => {
      const before = clock.now() - retention.days * DAY_MS;
      while (!stopped && (await store.deleteMessagesBefore(before, DELETE_BATCH)) > 0);
    });
  }
  return () => {
    stopped = true;
    for (const stop of stops.values()) stop();
  };
}
