/** How to reconnect. */
export interface ReconnectOptions {
  /** Keep trying even if the first attempt fails. */
  initial?: boolean;
  /** The longest wait before the first retry; it doubles with each failure. */
  minDelayMs?: number;
  maxDelayMs?: number;
  /** Give up after this many failures in a row. Default: never. */
  attempts?: number;
}

/** Exponential backoff with full jitter, so that clients do not reconnect at the same time. */
export function backoffDelay(
  failures: number,
  { minDelayMs = 50, maxDelayMs = 5000 }: ReconnectOptions,
  random: () => number = Math.random,
): number {
  // The maximum is reached long before 2^30; larger powers would overflow.
  return random() * Math.min(maxDelayMs, minDelayMs * 2 ** Math.min(failures - 1, 30));
}
