import { expect, it } from 'vitest';
import { toLine, withoutNewlines } from './lines.ts';

it('turns a message of several lines into one line of the same value', () => {
  const message = Buffer.from('{\r\n  "a": 1,\n  "b": "x\\ny"\n}');
  const line = toLine(message).toString();
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(line).not.toContain('\r');
  expect(JSON.parse(line)).toEqual({ a: 1, b: 'x\ny' });
});

it('does not copy a message of one line', () => {
  const message = Buffer.from('{"a":1}');
  expect(withoutNewlines(message)).toBe(message);
});
