import { expect, it } from 'vitest';
import { isTyping } from './typing.ts';

it.each(['a', '\r', '\x1b[A', '\x1b', '\x1b[200~pasted\x1b[201~', '\x1b[<35;1;1Mx', '\x03'])(
  'a person typed %j',
  (keys) => expect(isTyping(Buffer.from(keys))).toBe(true),
);

it.each([
  '\x1b[<35;10;20M\x1b[<35;11;20M',
  '\x1b[<0;10;20m',
  '\x1b[I',
  '\x1b[O',
  '\x1b[24;80R',
  '\x1b[?62;22c',
  '\x1b]11;rgb:0000/0000/0000\x1b\\',
  '\x1bP>|terminal 1.0\x1b\\',
])('nobody typed %j', (report) => expect(isTyping(Buffer.from(report))).toBe(false));
