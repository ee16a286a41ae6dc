import { type Rate, TokenBucket } from './token-bucket.ts';

/** One bucket per key, all with the same rate. Beyond `maxKeys`, the least recently used one is dropped. */
export class TokenBuckets<Key> {
  readonly #rate: Rate;
  readonly #maxKeys: number;
  readonly #buckets = new Map<Key, TokenBucket>();

  constructor(rate: Rate, maxKeys = Number.POSITIVE_INFINITY) {
    this.#rate = rate;
    this.#maxKeys = maxKeys;
  }

  /** As `TokenBucket.take`. */
  take(key: Key, now: number): number {
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = new TokenBucket(this.#rate, now);
      this.#buckets.set(key, bucket);
      this.#forgetOldest();
    } else if (this.#maxKeys !== Number.POSITIVE_INFINITY) {
      // Inserted again, so that the map stays ordered by last use.
      this.#buckets.delete(key);
      this.#buckets.set(key, bucket);
    }
    return bucket.take(now);
  }

  forget(key: Key): void {
    this.#buckets.delete(key);
  }

  #forgetOldest(): void {
    if (this.#buckets.size <= this.#maxKeys) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
