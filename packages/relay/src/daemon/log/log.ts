import { ensurePrivateDirectory } from '@agent-relay/platform';
import { type Logger, pino } from 'pino';
import type { Settings } from '../settings/settings.ts';
import { logDirectory, logFile } from './log-files.ts';
import { RotatingFile } from './rotating-file.ts';

export type { Logger };

const SECRET_FIELDS = ['token', 'workspaceKey', 'key', 'authorization', 'password'];
const REDACT = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

/** Secrets by their format: workspace keys, agent tokens, the password of a database URL. */
const SECRETS: Array<[pattern: RegExp, shown: string]> = [
  [/\bat_[\w-]{43}/g, 'at_***'],
  [/\brk_[0-9a-z]{8}_[\w-]{43}/g, 'rk_***'],
  [/(postgres(?:ql)?:\/\/[^:@/\s"]*):[^@\s"]*@/g, '$1:***@'],
  [/([?&]password=)[^&\s"]*/g, '$1***'],
];

export interface FileLog {
  log: Logger;
  /** Resolves when everything is written, or cannot be. */
  close(): Promise<void>;
}

/** The log of a background daemon: JSON lines in a rotating file. */
export async function openFileLog({ dataDirectory, log: { level, ...limits } }: Settings): Promise<FileLog> {
  await ensurePrivateDirectory(logDirectory(dataDirectory));
  const file = new RotatingFile(logFile(dataDirectory), limits, (lines, err) =>
    log.warn({ lines, err }, 'could not write to the log; some lines were lost'),
  );
  const log = loggerTo((line) => file.write(line), level);
  return { log, close: () => file.close() };
}

/** The log of a daemon in the foreground: `show` gets the same JSON lines. */
export const openTerminalLog = ({ log: { level } }: Settings, show: (line: string) => void): Logger =>
  loggerTo(show, level);

function loggerTo(write: (line: string) => void, level: string): Logger {
  const options = { level, base: null, redact: { paths: REDACT, censor: '***' } };
  return pino(options, { write: (line: string) => write(withoutSecrets(line)) });
}

function withoutSecrets(line: string): string {
  return SECRETS.reduce((text, [pattern, shown]) => text.replace(pattern, shown), line);
}
