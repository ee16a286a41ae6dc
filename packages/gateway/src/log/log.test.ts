import { expect, it } from 'vitest';
import { LOG_LEVELS, Log } from './log.ts';

const linesOf = (level: (typeof LOG_LEVELS)[number]) => {
  const lines: string[] = [];
  const log = new Log(level, (line) => lines.push(line));
  for (const each of LOG_LEVELS) log[each](each);
  return lines;
};

it('writes lines of its level and above', () => {
  expect(linesOf('debug')).toEqual(['debug', 'info', 'warn', 'error']);
  expect(linesOf('warn')).toEqual(['warn', 'error']);
});

it('knows whether debug lines are written', () => {
  expect(new Log('debug', () => undefined).debugs).toBe(true);
  expect(new Log('info', () => undefined).debugs).toBe(false);
  expect(new Log('debug', undefined).debugs).toBe(false);
});

it('writes one line, whatever text a backend sends', () => {
  const lines: string[] = [];
  new Log('info', (line) => lines.push(line)).info('one: failed: x\r\nINFO forged\u001b[2J');
  expect(lines.join('')).not.toMatch(/\p{Cc}/u);
});
