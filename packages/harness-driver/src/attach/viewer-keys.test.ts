import { expect, it } from 'vitest';
import { ViewerKeys } from './viewer-keys.ts';

const read = (...typed: string[]) => {
  const keys = new ViewerKeys();
  return typed
    .flatMap((text) => keys.read(Buffer.from(text)))
    .map((part) => (typeof part === 'string' ? { command: part } : part.toString()));
};

it.each([
  [['abc\r'], ['abc\r']],
  [['\x1dd'], [{ command: 'detach' }]],
  [
    ['ab\x1d', 'dcd'],
    ['ab', { command: 'detach' }, 'cd'],
  ],
  [['\x1b[93;5u', 'h'], [{ command: 'hold' }]],
  [['\x1b[27;5;93~T'], [{ command: 'take' }]],
  [['\x1d\x1d'], ['\x1d']],
  [['\x1d?'], [{ command: 'keys' }]],
  [
    ['\x1dx', 'y'],
    [{ command: 'keys' }, 'y'],
  ],
  [['ünï \x1b[200~d\x1b[201~'], ['ünï \x1b[200~d\x1b[201~']],
])('reads %j', (typed, expected) => {
  expect(read(...typed)).toEqual(expected);
});
