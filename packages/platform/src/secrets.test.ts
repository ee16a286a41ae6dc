import { isAgentToken } from '@agent-relay/protocol';
import { expect, it } from 'vitest';
import { newAgentToken } from './secrets.ts';

it('a new token has the right format, and differs each time', () => {
  const tokens = Array.from({ length: 100 }, newAgentToken);
  expect(tokens.every(isAgentToken)).toBe(true);
  expect(new Set(tokens).size).toBe(100);
});
