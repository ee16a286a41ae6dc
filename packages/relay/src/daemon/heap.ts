import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const NURSERY_BYTES = 4 * 1024 * 1024;

/**
 * V8 takes memory by what is free on the machine: room for 128 MB of new objects in a busy process, and twice as much
 * as it needs for old ones, of which it gives little back. What a request leaves behind dies young: with little room
 * the daemon is as fast, and leaves the memory to its connections.
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
