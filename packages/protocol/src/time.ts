/** The latest time a Date can represent, in milliseconds since 1970. */
export const MAX_TIME = 8_640_000_000_000_000;

/** A time from a file, a database or a peer as a valid date; later times become the latest one. */
export const dateOf = (time: number): Date => new Date(Math.min(Math.max(time || 0, -MAX_TIME), MAX_TIME));
