import { expect, it } from 'vitest';
import { ERRORS, type ErrorCode, limitReached, RelayError } from '../errors.ts';
import { failureText, forModel } from './for-model.ts';

it.each(Object.keys(ERRORS) as ErrorCode[])(
  'the next step of %s is for the model, or something to tell the user',
  (code) => {
    const { next } = forModel(new RelayError(code), {});
    if (/agent-relay|RELAY_|--\w|settings\.json/.test(next)) expect(next).toMatch(/^Tell your user: /);
  },
);

it('uses the tool of the toolset where the catalogue names a command', () => {
  const error = new RelayError('BackendNotFound');
  const step = 'List the servers with relay_list_servers.';
  expect(forModel(error, { BackendNotFound: step }).next).toBe(step);
});

it('keeps a more specific next step, and the rest of the error', () => {
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

it('keeps a next step that says who edits the settings', () => {
  const full = limitReached('quota.messages', 10, 'The inbox is full.', 'Read some first.');
  expect(full.next).toContain('settings.json');
  expect(forModel(full, {})).toBe(full);
});

it('lets the door decide first', () => {
  const error = new RelayError('AgentNameRequired');
  const door = { AgentNameRequired: 'Send the header X-Relay-Agent.' };
  expect(forModel(error, { AgentNameRequired: 'register_agent' }, door).next).toBe(door.AgentNameRequired);
});

it('is one line with the code, whatever is in it', () => {
  expect(failureText(new RelayError('AgentNotFound', 'No Zed.', { next: 'Look again.' }))).toBe(
    'Error: No Zed. [AgentNotFound] Next: Look again.',
  );
  const hostile = 'a\u202Eb\u001B[31m\u{E0068}\nc';
  expect(failureText(new RelayError('AgentNotFound', hostile, { next: hostile }))).toMatch(/^\P{C}*$/u);
});
