/** Time, as the domain sees it. Everything that waits or stamps goes through here. */
export interface Clock {
  /** Milliseconds since 1970, for what people read. Somebody may set it, forward or back. */
  now(): number;
  /** Milliseconds since some moment, always moving forward: for measuring how long something took or rests. */
  elapsed(): number;
  /** Runs `action` once after `ms`; the function returned takes it back. */
  after(ms: number, action: () => void): () => void;
}
