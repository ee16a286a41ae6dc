import { dateOf, safeLine } from '@agent-relay/protocol';
import { styled } from './terminal.ts';

const LEVELS: Record<number, [name: string, style: 'dim' | 'green' | 'yellow' | 'red']> = {
  10: ['trace', 'dim'],
  20: ['debug', 'dim'],
  30: ['info', 'green'],
  40: ['warn', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', 'red'],
};

/** A JSON line of the daemon's log, formatted for people; other lines stay as they are. */
export function readableLogLine(line: string, stream: NodeJS.WriteStream = process.stdout): string {
  let entry: { level: number; time: number; msg?: string; err?: { message?: string; stack?: string } };
  try {
    entry = JSON.parse(line);
  } catch {
    return safeLine(line.trimEnd());
  }
  const { level, time, msg = '', err, ...fields } = entry;
  const [name, style] = LEVELS[level] ?? [String(level), 'dim'];
  const at = dateOf(time).toISOString().slice(11, 19);
  const details = Object.entries(fields).map(([key, value]) => `${key}=${shown(value)}`);
  const error = err === undefined ? [] : [`error=${shown(err.message)}`];
  const rest = styled('dim', safeLine([...details, ...error].join(' ')), stream);
  return `${styled('dim', at, stream)} ${styled(style, name.padEnd(5), stream)} ${safeLine(msg)} ${rest}`.trimEnd();
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
