import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const NURSERY_BYTES = 4 * 1024 * 1024;

/**
 * V8 sizes its heap by the machine's memory: up to 128 MB for new objects in a busy process, and twice as much
 * as needed for old ones, of which it returns little. Garbage of requests is short-lived: with a small heap
 * the daemon is as fast, and leaves memory for its connections.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=25');
  const observer = new PerformanceObserver(() => {
    const nursery = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    if ((nursery?.space_size ?? 0) < NURSERY_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
