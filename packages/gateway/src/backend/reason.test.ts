import { expect, it } from 'vitest';
import { reasonOf } from './reason.ts';

it('is one short line without control characters', () => {
  expect(reasonOf(new Error('first\nsecond\u001b[31m'))).not.toMatch(/\p{Cc}/u);
  expect(reasonOf(new Error('x'.repeat(1000)))).toHaveLength(300);
  expect(reasonOf('plain')).toBe('plain');
});
