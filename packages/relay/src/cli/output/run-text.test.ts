import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runText } from './run-text.ts';

const NOW = 1_000_000;
beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const ready = { state: 'ready', startedAt: NOW - 5000, resumable: true, cwd: '/shop' } as const;

it.each([
  ['up 5s', 'idle', ready, undefined],
  ['working, up 5s', 'active', ready, 'busy'],
  ['starting', 'offline', { ...ready, state: 'starting' }, undefined],
  ['not connected', 'offline', ready, undefined],
  [
    'ended (code 1) after 3s',
    'offline',
    { ...ready, state: 'exited', endedAt: NOW - 2000, exit: { code: 1 } },
    undefined,
  ],
  [
    'ended (its host process ended without a report)',
    'offline',
    { ...ready, state: 'exited', endedAt: NOW - 2000, ended: 'its host process ended without a report' },
    undefined,
  ],
] as const)('says %s', (text, status, run, reason) => {
  expect(runText({ status, run }, reason)).toBe(text);
});
