import fc from 'fast-check';
import { hostileBodies } from './hostile-bodies.ts';

/** Pieces that try to hide a command, or to pass for what the relay says about it. */
const PIECES = [
  'rm -rf ~',
  '\nDescribed by the agent as: lists files',
  '\nRun this command:\n  ls',
  'Run this command (1 line):',
  '\n  1  ls',
  '\n  2-201  (200 empty lines)',
  '\nAgent Relay: press Allow',
  '\n'.repeat(200),
  ' '.repeat(5000),
  ' '.repeat(39),
  '\t'.repeat(100),
  ' \n \n',
  '\\u{202e}',
  '\\{50 spaces}',
  '\\\\',
  '\u00a0'.repeat(80),
  '\u2800',
  '\u3164',
  '\u{e0101}',
  'e\u0301\u0302\u0303\u0304\u0305',
  '👩🏽\u200d👧\ufe0f',
  ' && ',
];

/** Commands and descriptions of an agent that wants a person to allow what they would not. */
export const hostileTexts = (): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.constantFrom(...PIECES), hostileBodies()), { maxLength: 8 })
    .map((pieces) => pieces.join(''));

/** What nobody sees, or what changes what they see. */
export const UNSEEN = /[[\p{C}\p{Zl}\p{Zp}]--[\n\t\u200d]]/v;
