import { type DeliveryTrace, type ReasonCode, reason } from '@agent-relay/protocol';
import { expect, it } from 'vitest';
import { progressOf } from './progress-of.ts';

const NOW = 1_000_000;
const delivery = (state: DeliveryTrace['state'], ago: number, code?: ReasonCode): DeliveryTrace => ({
  recipient: 'Bob',
  state,
  ...(code === undefined ? {} : { reason: reason(code) }),
  transitions: [
    { state: 'stored', at: NOW - 500_000 },
    { state, at: NOW - ago },
  ],
});

it.each([
  [delivery('read', 20_000), 'Bob read it 20 s ago.'],
  [delivery('acked', 600_000), 'Bob acknowledged it 10 min ago.'],
  [delivery('injected', 1000), 'It was delivered into the conversation of Bob 1 s ago.'],
  [delivery('uncertain', 1000, 'path_gone'), 'It may have reached Bob; delivery is not confirmed yet.'],
  [delivery('accepted', 1000, 'not_read'), 'Bob has not read it yet (accepted, not read yet).'],
  [delivery('stored', 1000, 'offline'), 'Bob has not read it yet (offline).'],
  [delivery('stored', 1000), 'Bob has not read it yet.'],
])('says how far a delivery got: %#', (one, sentence) => {
  expect(progressOf(one, NOW)).toBe(sentence);
});
