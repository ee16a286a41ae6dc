/** Time, as the domain sees it. Everything that waits or stamps goes through here. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `action` once after `ms`; the function returned takes it back. */
  after(ms: number, action: () => void): () => void;
}
