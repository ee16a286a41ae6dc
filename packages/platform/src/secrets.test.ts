import { isAgentToken } from '@agent-relay/protocol';
import { expect, it } from 'vitest';
import { newAgentToken, newRunId } from './secrets.ts';

it('a new token has the right format, and differs each time', () => {
  const tokens = Array.from({ length: 100 }, newAgentToken);
  expect(tokens.every(isAgentToken)).toBe(true);
  expect(new Set(tokens).size).toBe(100);
});

it('the id of a run cannot be guessed, even if its time and counter are known', () => {
  const ids = Array.from({ length: 100 }, () => newRunId((word) => `${word}_known`));
  expect(ids.every((id) => /^run_known[0-9a-f]{20}$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(100);
});
