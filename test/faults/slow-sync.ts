import assert from 'node:assert/strict';
import { connectPairs } from '../bench/pairs.ts';
import { maximum, median, milliseconds, percentile } from '../bench/statistics.ts';
import { slowDisk, whyNoStrace } from '../bench/strace.ts';
import { measureWaits } from '../bench/waits.ts';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { CannotRun, type Fault, within } from './fault.ts';

const DELAY_MS = 20;
const MAX_WAIT_MS = 50;

/** A disk that is slow to sync holds up those who write, and nobody else. */
export const slowSync: Fault = {
  name: 'slow-sync',
  what: `each fsync takes ${DELAY_MS} ms more: reads and heartbeats do not wait for it`,
  async run({ short, say }) {
    const missing = whyNoStrace();
    if (missing) throw new CannotRun(missing);
    await using daemon = await startDaemon({ settings: UNGOVERNED });
    const pairs = await connectPairs(daemon.socketPath, 8);
    const ms = short ? 3_000 : 20_000;
    await using _slow = await slowDisk(daemon.pid, DELAY_MS);
    const waits = await within(ms + 20_000, 'answers', measureWaits(daemon.socketPath, pairs, ms));
    for (const pair of pairs) pair.close();
    const written = median(waits.messages);
    assert(written >= DELAY_MS, `messages took ${milliseconds(written)}: the delay was not injected`);
    for (const [kind, values] of Object.entries({ ...waits, messages: undefined })) {
      if (!values) continue;
      const p95 = percentile(values, 0.95);
      const rest = `p95 ${milliseconds(p95)}, longest ${milliseconds(maximum(values))}`;
      say(`${kind}: ${values.length} answers, p50 ${milliseconds(median(values))}, ${rest}`);
      assert(p95 <= MAX_WAIT_MS, `${kind} waited for the disk`);
    }
    say(`messages meanwhile: ${waits.messages.length}, p50 ${milliseconds(written)}`);
  },
};
