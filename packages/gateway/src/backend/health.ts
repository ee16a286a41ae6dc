/** `unknown`: not tried yet, or stopped until it is needed. */
export const HEALTH = ['healthy', 'degraded', 'failed', 'connecting', 'unknown'] as const;
export type Health = (typeof HEALTH)[number];
