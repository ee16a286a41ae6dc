import { checkAgentName } from '@agent-relay/protocol';
import { expect, it } from 'vitest';
import { agentNameOf } from './names.ts';

it.each([
  ['alice', 'alice'],
  ['alice.smith', 'alice-smith'],
  ['DOMAIN\\Bob', 'DOMAIN-Bob'],
  ['_apt', 'apt'],
  ['jörg', 'jorg'],
  ['用户', 'user'],
  ['system', 'system-user'],
  ['x'.repeat(80), 'x'.repeat(64)],
])('the user %s is the agent %s', (user, agent) => {
  expect(agentNameOf(user)).toBe(agent);
  expect(checkAgentName(agent)).toBe(agent);
});
