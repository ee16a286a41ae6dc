import { expect, it } from 'vitest';
import { readableLogLine } from './log-lines.ts';

it('formats a log line for people', () => {
  const line = JSON.stringify({ level: 40, time: 0, msg: 'slow', agent: 'Alice', ms: 12 });
  expect(readableLogLine(line)).toBe('00:00:00 warn  slow agent=Alice ms=12');
});

it('shows the message of an error, and no control characters', () => {
  const line = JSON.stringify({ level: 50, time: 0, msg: 'a\u001b[2Jb', err: { message: 'no', stack: 'x' } });
  expect(readableLogLine(line)).toBe('00:00:00 error a\u{FFFD}[2Jb error=no');
});

it('leaves other lines unchanged', () => {
  expect(readableLogLine('node: out of memory\n')).toBe('node: out of memory');
});
