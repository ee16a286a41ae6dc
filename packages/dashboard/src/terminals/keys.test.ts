import { expect, it } from 'vitest';
import { sequenceOf, withControl } from './keys.ts';

it('sends arrow keys in the form chosen by the program', () => {
  expect(sequenceOf('Up', { application: false, control: false })).toBe('\x1b[A');
  expect(sequenceOf('Up', { application: true, control: false })).toBe('\x1bOA');
  expect(sequenceOf('Left', { application: true, control: true })).toBe('\x1b[1;5D');
  expect(sequenceOf('Enter', { application: true, control: true })).toBe('\r');
});

it.each([
  ['c', '\x03'],
  ['C', '\x03'],
  ['[', '\x1b'],
  [' ', '\0'],
  ['?', '\x7f'],
  ['é', 'é'],
  ['1', '1'],
  ['cd', 'cd'],
])('holds the control key while %j is typed', (typed, sent) => {
  expect(withControl(typed)).toBe(sent);
});
