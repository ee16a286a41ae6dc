import { describe, expect, it } from 'vitest';
import { isYes } from './words.ts';

describe('a reply to the question whether a call may be made', () => {
  it.each([
    ...[
      'yes',
      'Y',
      'OK.',
      '"Okay"',
      ' Sure, go ahead! ',
      'Yes, please do it',
      'approved, thanks',
      'Of course.',
    ],
  ])('%o is a yes', (content) => {
    expect(isYes({ content })).toBe(true);
  });

  it.each([
    ...['no', '', '👍', 'please', 'Thanks', 'Ok, no, not today', 'y not?', 'OK let me look at it first'],
    ...['Allow nobody', 'yes if the tests pass', 'yesterday', 'go', 'Go ahead and wait', 'do'],
  ])('%o is not', (content) => {
    expect(isYes({ content })).toBe(false);
  });
});
