const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export const isLogLevel = (level: string): boolean => LEVELS.includes(level);

/** Whether a line of this level is wanted by someone who asked for `wanted` and above. */
export const isLoud = (level: string, wanted: string): boolean =>
  LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);

/** Who did not say anything wants this. */
export const USUAL_LEVEL = 'info';

/** The level at which everybody hears at least what they want. */
export const mostTalkative = (wanted: string[]): string | undefined =>
  LEVELS.find((level) => wanted.includes(level));
