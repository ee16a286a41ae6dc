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

it('logs the chosen level and higher ones', () => {
  expect(isLoud('error', 'warning')).toBe(true);
  expect(isLoud('warning', 'warning')).toBe(true);
  expect(isLoud('info', 'warning')).toBe(false);
});

it('uses the lowest level that any client chose', () => {
  expect(mostTalkative(['error', 'info', 'alert'])).toBe('info');
  expect(mostTalkative([])).toBeUndefined();
});
