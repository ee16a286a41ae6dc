import { ERRORS, type ErrorCode, forModel, RelayError } from '@agent-relay/protocol';
import { describe, expect, it } from 'vitest';
import { knownToolsets } from './index.ts';

const codes = Object.keys(ERRORS) as ErrorCode[];

describe.each([...knownToolsets(['pm', 'dev-a']).values()])(
  'with the toolset $name',
  ({ tools, wording }) => {
    it.each(codes)('the next step of %s is a tool, or something to tell the user', (code) => {
      const { next } = forModel(new RelayError(code), wording.nextSteps);
      if (/agent-relay|RELAY_|--\w/.test(next)) expect(next).toMatch(/^Tell your user: /);
    });

    it('mentions only its own tools', () => {
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
