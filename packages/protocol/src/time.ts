/** The last moment that a date can name, in milliseconds since 1970. */
export const MAX_TIME = 8_640_000_000_000_000;

/** A time from a file, a database or a peer as a date that can be shown: one beyond all dates is the last of them. */
export const dateOf = (time: number): Date => new Date(Math.min(Math.max(time || 0, -MAX_TIME), MAX_TIME));
