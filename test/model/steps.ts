import fc from 'fast-check';

export const NAMES = ['Ann', 'Ben', 'Cid', 'Dot'];
export const CHANNELS = ['#build', '#ops'];
export const WORDS = ['amber', 'birch', 'cobalt'];
const EMOJIS = ['👍', ':eyes:'];

const name = fc.constantFrom(...NAMES);
const channel = fc.constantFrom(...CHANNELS);
const word = fc.constantFrom(...WORDS);
/** A message, by its number modulo how many there are. */
const message = fc.nat(50);
const text = fc
  .tuple(word, fc.constantFrom('', ...NAMES.map((one) => `@${one}`)))
  .map((parts) => parts.join(' '));

const direct = fc.uniqueArray(name, { minLength: 1, maxLength: 3 });
const address = fc.oneof(
  { weight: 3, arbitrary: direct },
  { weight: 2, arbitrary: fc.constantFrom('#general', ...CHANNELS) },
  fc.constant('*'),
);

const typed = <T extends string, Fields extends object>(
  type: T,
  fields: { [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
) => fc.record(fields).map((values) => ({ type, ...values }) as { type: T } & Fields);

const send = typed('send', { by: name, to: address, text, isBrief: fc.boolean(), isDeclared: fc.boolean() });
const kinds = [
  { weight: 32, arbitrary: send },
  { weight: 12, arbitrary: typed('reply', { by: name, message, text }) },
  // Started together, in conversations that nobody joins by writing to them.
  {
    weight: 8,
    arbitrary: typed('burst', {
      sends: fc.array(fc.record({ by: name, to: fc.oneof(direct, fc.constant('*')), text }), {
        minLength: 2,
        maxLength: 6,
      }),
    }),
  },
  { weight: 20, arbitrary: typed('read', { by: name, message }) },
  {
    weight: 12,
    arbitrary: typed('react', {
      by: name,
      message,
      emoji: fc.constantFrom(...EMOJIS),
      remove: fc.boolean(),
    }),
  },
  { weight: 8, arbitrary: typed('redact', { by: name, message }) },
  { weight: 16, arbitrary: typed('join', { by: name, channel }) },
  { weight: 8, arbitrary: typed('leave', { by: name, channel }) },
  { weight: 12, arbitrary: typed('search', { by: name, word }) },
  { weight: 4, arbitrary: typed('remove', { agent: name }) },
  { weight: 4, arbitrary: typed('return', {}) },
  { weight: 4, arbitrary: typed('wait', {}) },
  // The only one that takes long.
  { weight: 1, arbitrary: typed('crash', {}) },
];

export const step = fc.oneof(...kinds);
export type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
