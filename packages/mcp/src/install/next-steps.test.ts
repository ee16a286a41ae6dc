import { expect, it } from 'vitest';
import { fittedStep } from './next-steps.ts';

const STEP = '    tools: Asks before each call; to allow all, add "trust": true to the entry.';

it('wraps a step between words, aligned under its label', () => {
  expect(fittedStep(STEP, 40)).toEqual([
    '    tools: Asks before each call; to',
    '           allow all, add "trust": true',
    '           to the entry.',
  ]);
  expect(fittedStep('  Start the daemon: agent-relay daemon start', 24)).toEqual([
    '  Start the daemon:',
    '  agent-relay daemon',
    '  start',
  ]);
});

it('prints a step as one line in a pipe', () => {
  expect(fittedStep(STEP, Number.POSITIVE_INFINITY)).toEqual([STEP]);
});
