import { expect, it } from 'vitest';
import { isLogLevel, isLoud, mostTalkative } from './log-levels.ts';

it('knows the levels of the protocol', () => {
  expect(['debug', 'notice', 'emergency', 'trace', ''].map(isLogLevel)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

it('a level is loud enough from the wanted one on', () => {
  expect(isLoud('error', 'warning')).toBe(true);
  expect(isLoud('warning', 'warning')).toBe(true);
  expect(isLoud('info', 'warning')).toBe(false);
});

it('of several wishes, the lowest level serves all', () => {
  expect(mostTalkative(['error', 'info', 'alert'])).toBe('info');
  expect(mostTalkative([])).toBeUndefined();
});
