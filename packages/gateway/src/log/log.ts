import { safeLine } from '@agent-relay/protocol';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type WriteLogLine = (line: string, level: LogLevel) => unknown;

/** The log of a gateway, from `level` up. Backends write parts of its lines, so each is made safe to show. */
export class Log {
  /** Whether debug lines are written. Check it before building one for every call. */
  readonly debugs: boolean;
  readonly #least: number;
  readonly #write: WriteLogLine | undefined;

  constructor(level: LogLevel, write: WriteLogLine | undefined) {
    this.#least = LOG_LEVELS.indexOf(level);
    this.#write = write;
    this.debugs = write !== undefined && level === 'debug';
  }

  debug(line: string): void {
    this.#log(line, 'debug');
  }
  info(line: string): void {
    this.#log(line, 'info');
  }
  warn(line: string): void {
    this.#log(line, 'warn');
  }
  error(line: string): void {
    this.#log(line, 'error');
  }

  #log(line: string, level: LogLevel): void {
    if (LOG_LEVELS.indexOf(level) >= this.#least) this.#write?.(safeLine(line), level);
  }
}
