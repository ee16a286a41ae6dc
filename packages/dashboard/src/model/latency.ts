import type { Span } from './traffic.ts';

/** How long deliveries took, in milliseconds: half of them at most `half`, 95 of 100 at most `most`. */
export interface Latency {
  half: number;
  most: number;
  /** How many deliveries these are. */
  count: number;
}

interface Bucket {
  count: number;
  /** All of them, or a fair choice if there are many. */
  samples: number[];
}

const BUCKET_MS = 60_000;
const KEPT = 61;
const MOST_SAMPLES = 256;
const MOST_KNOWN = 5_000;

/** How long it took until agents read messages, minute by minute, as far as it was observed. */
export class LatencyLog {
  /** The time since which it was observed. */
  readonly since: number;
  readonly #buckets = new Map<number, Bucket>();
  /** What is counted already: a message that starts a turn may be marked as read, too. */
  readonly #known = new Set<string>();

  constructor(since: number) {
    this.since = since;
  }

  /** Notes that an agent has read a message at this time, so long after it was stored. */
  add(delivery: string, at: number, tookMs: number): void {
    if (this.#known.has(delivery)) return;
    this.#known.add(delivery);
    for (const oldest of this.#known) {
      if (this.#known.size <= MOST_KNOWN) break;
      this.#known.delete(oldest);
    }
    const number = Math.floor(at / BUCKET_MS);
    const bucket = this.#buckets.get(number) ?? this.#open(number);
    bucket.count += 1;
    if (bucket.samples.length < MOST_SAMPLES) bucket.samples.push(tookMs);
    else {
      // Each delivery of the minute is kept with the same probability.
      const place = Math.floor(Math.random() * bucket.count);
      if (place < MOST_SAMPLES) bucket.samples[place] = tookMs;
    }
  }

  /** The latency per slot; undefined where nothing was read. */
  over({ since, until, stretches }: Span): Array<Latency | undefined> {
    const slots = Array.from({ length: stretches }, (): Bucket[] => []);
    for (const [number, bucket] of this.#buckets) {
      const middle = (number + 0.5) * BUCKET_MS;
      if (middle < since || number * BUCKET_MS > until) continue;
      const at = Math.min(stretches - 1, Math.floor(((middle - since) / (until - since)) * stretches));
      slots[at]?.push(bucket);
    }
    return slots.map(latencyOf);
  }

  #open(number: number): Bucket {
    const bucket: Bucket = { count: 0, samples: [] };
    this.#buckets.set(number, bucket);
    for (const old of this.#buckets.keys()) if (old < number - KEPT) this.#buckets.delete(old);
    return bucket;
  }
}

function latencyOf(buckets: readonly Bucket[]): Latency | undefined {
  const count = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  if (count === 0) return undefined;
  // A sample of a busy minute stands for several deliveries.
  const weighted = buckets
    .flatMap(({ samples, count }) => samples.map((tookMs) => ({ tookMs, weight: count / samples.length })))
    .sort((one, other) => one.tookMs - other.tookMs);
  const at = (share: number): number => {
    let sum = 0;
    for (const { tookMs, weight } of weighted) {
      sum += weight;
      // Weights may not add up exactly.
      if (sum >= share * count - 1e-6) return tookMs;
    }
    return weighted.at(-1)?.tookMs ?? 0;
  };
  return { half: at(0.5), most: at(0.95), count };
}
