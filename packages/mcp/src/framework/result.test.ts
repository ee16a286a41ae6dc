import { RelayError } from '@agent-relay/sdk';
import { expect, it } from 'vitest';
import { failureResult, jsonContents, reply, replyJson } from './result.ts';

/** A direction mark, an escape, a tag character, and a line of its own. */
const HOSTILE = 'a\u202Eb\u001B[31m\u{E0068}\nc';
const HARMLESS = /^[\n\t\P{C}]*$/u;

it.each([
  ['a text', reply(HOSTILE, {})],
  ['each of several texts', reply(['one', HOSTILE], {})],
  ['data', reply('', { [`key ${HOSTILE}`]: [{ text: HOSTILE }] })],
  ['data as JSON', replyJson({ text: HOSTILE })],
  ['JSON that is not the data', replyJson({}, [HOSTILE])],
  ['an error', failureResult(new RelayError('AgentNotFound', HOSTILE, { next: HOSTILE }))],
  ['a resource', jsonContents('relay://agents', { [HOSTILE]: HOSTILE })],
])('%s hides text that people cannot see', (_, result) => {
  const texts = textsIn(result);
  for (const text of texts) expect(text).toMatch(HARMLESS);
  expect(texts.join('')).toContain('\u{FFFD}');
});

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item)]);
}
