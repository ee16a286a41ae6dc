/** The latest time a Date can represent, in milliseconds since 1970. */
export const MAX_TIME = 8_640_000_000_000_000;

/** A length of time as people write it: `250 ms`, `1.5 s`, `10 min`, `24 h`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 120_000 || ms % 60_000 !== 0) return `${ms / 1000} s`;
  return ms < 7_200_000 || ms % 3_600_000 !== 0 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`;
}

/** A stored time as an import accepts it: an impossible one becomes the nearest possible. */
export const possibleTime = (time: number): number => Math.min(Math.max(time, 0), MAX_TIME);

/** A time from a file, a database or a peer as a valid date; later times become the latest one. */
export const dateOf = (time: number): Date => new Date(Math.min(Math.max(time || 0, -MAX_TIME), MAX_TIME));
