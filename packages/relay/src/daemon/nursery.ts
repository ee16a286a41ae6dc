import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const ENOUGH_BYTES = 4 * 1024 * 1024;

/**
 * Where new objects live, V8 lets grow to 128 MB in a busy process, and gives little of it back. What a request leaves
 * behind dies young: a small nursery is as fast, and leaves the memory to the connections.
 */
export function keepNurserySmall(): void {
  const observer = new PerformanceObserver(() => {
    const nursery = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    if ((nursery?.space_size ?? 0) < ENOUGH_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
