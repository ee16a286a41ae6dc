/** The domain's clock, for all timers and timestamps. */
export interface Clock {
  /** Milliseconds since 1970, for people. The clock may be set forward or back. */
  now(): number;
  /** Monotonic milliseconds, for measuring durations. */
  elapsed(): number;
  /** Runs `action` once after `ms`; the returned function cancels it. */
  after(ms: number, action: () => void): () => void;
}
