import type { Clock } from './ports/clock.ts';
import type { Store } from './ports/store.ts';
import type { Worktrees } from './ports/worktrees.ts';

interface Retention {
  /** Messages older than this many days are deleted; 0 keeps them forever. */
  days: number;
}

const DAY_MS = 86_400_000;
const RETENTION_EVERY_MS = 3_600_000;
const KEPT_EVERY_MS = 3_600_000;
const INDEX_EVERY_MS = 1_000;
/** Rows per maintenance transaction: few, so that no message waits long behind it. */
const DELETE_BATCH = 500;
const INDEX_BATCH = 32;

/** Periodic maintenance: deletes old messages, indexes new ones, drops commits of workers that were kept long enough. */
export function startUpkeep(
  store: Store,
  clock: Clock,
  retention: Retention,
  worktrees: Pick<Worktrees, 'tidy'>,
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
        // Otherwise a full disk would be reported on each attempt.
        if (!stopped && String(error) !== reported) onError(error);
        reported = String(error);
      }
      if (!stopped) stops.set(name, clock.after(ms, run));
    };
    // Also at the start: a daemon may not run as long as the interval.
    stops.set(name, clock.after(0, run));
  };

  every('search index', INDEX_EVERY_MS, async () => {
    while (!stopped && (await store.indexForSearch(INDEX_BATCH)) > 0);
  });
  every('kept commits', KEPT_EVERY_MS, () => worktrees.tidy(clock.now()));
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
