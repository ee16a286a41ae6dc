/** How a lost connection is made again. */
export interface ReconnectOptions {
  /** Also keep trying when the very first attempt fails. */
  initial?: boolean;
  /** The longest wait before the first retry; it doubles with each failure. */
  minDelayMs?: number;
  maxDelayMs?: number;
  /** Give up after so many failures in a row; for ever if absent. */
  attempts?: number;
}

/** Exponential backoff with full jitter: clients that lost the same daemon do not come back in step. */
export function backoffDelay(
  failures: number,
  { minDelayMs = 50, maxDelayMs = 5000 }: ReconnectOptions,
  random: () => number = Math.random,
): number {
  // Beyond 2^30 the ceiling is long reached, and the power would only overflow.
  return random() * Math.min(maxDelayMs, minDelayMs * 2 ** Math.min(failures - 1, 30));
}
