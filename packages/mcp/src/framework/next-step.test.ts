import { ERRORS, type ErrorCode, RelayError } from '@agent-relay/protocol';
import { describe, expect, it } from 'vitest';
import { knownToolsets } from '../toolsets/index.ts';
import { forModel } from './next-step.ts';

const codes = Object.keys(ERRORS) as ErrorCode[];

describe.each([...knownToolsets(['pm', 'dev-a']).values()])(
  'with the toolset $name',
  ({ tools, wording }) => {
    it.each(codes)('the next step of %s is a tool, or something to tell the user', (code) => {
      const { next } = forModel(new RelayError(code), wording.nextSteps);
      if (/agent-relay|RELAY_|--\w/.test(next)) expect(next).toMatch(/^Tell your user: /);
    });

    it('names only tools that it has', () => {
      const names = tools.map(({ name }) => name);
      const words = [...Object.values(wording.nextSteps), wording.answer(MESSAGE), wording.send('Bob', 'Hi')];
      for (const called of words.join(' ').matchAll(/\b[a-z]+(?:_[a-z]+)+\b(?=[(.])/g))
        expect(names).toContain(called[0]);
    });
  },
);

const MESSAGE = {
  seq: 1,
  id: 'msg_1',
  from: 'Alice',
  to: 'Bob',
  kind: 'free',
  importance: 'normal',
  content: 'Hi',
  ts: 1,
} as const;

it('keeps a better step of the place that failed, and whatever else the error says', () => {
  const error = new RelayError('MutualAwait', 'Bob waits.', { next: 'Answer Bob first, in thread red.' });
  expect(forModel(error, { MutualAwait: 'Something else.' })).toBe(error);
  const late = new RelayError('Timeout', 'Late.', {
    next: 'Run: agent-relay trace',
    retryable: false,
    details: { messageId: 'msg_1' },
  });
  expect(forModel(late, {}).toPayload()).toEqual({
    code: 'Timeout',
    message: 'Late.',
    next: 'Tell your user: Run: agent-relay trace',
    retryable: false,
    details: { messageId: 'msg_1' },
  });
});

it('lets the door decide first', () => {
  const error = new RelayError('AgentNameRequired');
  const door = { AgentNameRequired: 'Send the header X-Relay-Agent.' };
  expect(forModel(error, { AgentNameRequired: 'register_agent' }, door).next).toBe(door.AgentNameRequired);
});
