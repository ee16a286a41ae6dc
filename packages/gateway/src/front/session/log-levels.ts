const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export const isLogLevel = (level: string): boolean => LEVELS.includes(level);

/** Whether `level` is at or above `wanted`. */
export const isLoud = (level: string, wanted: string): boolean =>
  LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);

/** The level for clients that did not choose one. */
export const USUAL_LEVEL = 'info';

/** The lowest of the wanted levels. */
export const mostTalkative = (wanted: string[]): string | undefined =>
  LEVELS.find((level) => wanted.includes(level));
