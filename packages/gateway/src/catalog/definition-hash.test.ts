import fc from 'fast-check';
import { expect, it } from 'vitest';
import { definitionHash } from './definition-hash.ts';

const tool = {
  name: 'send',
  title: 'Send',
  description: 'Sends.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true, title: 'Send' },
  icons: [{ src: 'https://a/icon.png', sizes: ['48x48'] }],
  execution: { taskSupport: 'optional' },
  _meta: { 'vendor/x': 1 },
  somethingNew: true,
};

it.each([
  ['name', 'send2'],
  ['title', 'Send all'],
  ['description', 'Sends all.'],
  ['inputSchema', { type: 'object', properties: { to: { type: 'string', default: 'me' } } }],
  ['outputSchema', { type: 'object', properties: {} }],
  ['annotations', { readOnlyHint: false, title: 'Send' }],
  ['icons', [{ src: 'https://b/icon.png', sizes: ['48x48'] }]],
  ['execution', { taskSupport: 'required' }],
  ['_meta', { 'vendor/x': '1' }],
  ['somethingNew', false],
  ['somethingElse', null],
])('changes with %s', (field, value) => {
  expect(definitionHash({ ...tool, [field]: value })).not.toBe(definitionHash(tool));
});

it('changes when a field is removed', () => {
  const { annotations, ...rest } = tool;
  expect(definitionHash(rest)).not.toBe(definitionHash(tool));
});

it('ignores the order of keys at any depth', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, reversed(inner)]);
    return Object.fromEntries(entries.reverse());
  };
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (value) => {
      expect(definitionHash(reversed(value) as typeof value)).toBe(definitionHash(value));
    }),
  );
});

it('depends on the order of a list', () => {
  expect(definitionHash({ required: ['a', 'b'] })).not.toBe(definitionHash({ required: ['b', 'a'] }));
});
