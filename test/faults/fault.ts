/** One kind of fault. It throws if the relay does not withstand it. */
export interface Fault {
  /** For `--only`. */
  name: string;
  what: string;
  run(options: FaultOptions): Promise<void>;
}

export interface FaultOptions {
  /** A minute or two for all faults together. */
  short: boolean;
  /** Makes random choices repeatable. */
  seed: number;
  /** Prints a line below the name of the fault. */
  say(line: string): void;
}

/** The machine lacks what the fault needs; the message says what. */
export class CannotRun extends Error {}

/** Rejects if the promise takes too long. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what}: not within ${ms} ms.`)), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A small seeded random generator (0 to 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
