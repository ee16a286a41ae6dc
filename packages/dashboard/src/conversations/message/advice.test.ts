import { REASON_CODES } from '@agent-relay/protocol';
import { expect, it } from 'vitest';
import { ADVICE } from './advice.ts';

it.each(REASON_CODES)('says what to do about %s', (code) => {
  expect(ADVICE[code]).toMatch(/^[A-Z].+\.$/);
});

it('knows no other reasons', () => {
  expect(Object.keys(ADVICE).sort()).toEqual([...REASON_CODES].sort());
});
