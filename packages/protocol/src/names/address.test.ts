import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Address, formatAddress, parseAddress, parseChannelName } from './address.ts';

const FIRST = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const name = fc
  .tuple(fc.constantFrom(...FIRST), fc.string({ unit: fc.constantFrom(...FIRST, '_', '-'), maxLength: 63 }))
  .map(([first, rest]) => first + rest);

const target: fc.Arbitrary<Address['target']> = fc.oneof(
  name
    .filter((text) => text.toLowerCase() !== 'lead')
    .map((text): Address['target'] => ({ kind: 'agent', name: text })),
  name.map((text): Address['target'] => ({ kind: 'channel', name: text })),
  fc.constant<Address['target']>({ kind: 'lead' }),
  fc.constant<Address['target']>({ kind: 'all' }),
);
const address: fc.Arbitrary<Address> = fc.oneof(
  target.map((one): Address => ({ target: one })),
  fc.tuple(name, target).map(([project, one]): Address => ({ project, target: one })),
  fc.constant<Address>({ project: '*', target: { kind: 'all' } }),
);

describe('an address', () => {
  it('is the same after formatting and parsing', () => {
    fc.assert(
      fc.property(address, (one) => {
        expect(parseAddress(formatAddress(one))).toEqual(one);
      }),
    );
  });

  it.each<[string, Address]>([
    ['Alice', { target: { kind: 'agent', name: 'Alice' } }],
    ['@Alice', { target: { kind: 'agent', name: 'Alice' } }],
    ['@lead', { target: { kind: 'lead' } }],
    ['shop:@Alice', { project: 'shop', target: { kind: 'agent', name: 'Alice' } }],
    ['#build', { target: { kind: 'channel', name: 'build' } }],
    ['*', { target: { kind: 'all' } }],
    ['lead', { target: { kind: 'lead' } }],
    ['LEAD', { target: { kind: 'lead' } }],
    ['shop:Alice', { project: 'shop', target: { kind: 'agent', name: 'Alice' } }],
    ['shop:lead', { project: 'shop', target: { kind: 'lead' } }],
    ['shop:#build', { project: 'shop', target: { kind: 'channel', name: 'build' } }],
    ['shop:*', { project: 'shop', target: { kind: 'all' } }],
    ['*:*', { project: '*', target: { kind: 'all' } }],
  ])('%s is understood', (text, expected) => {
    expect(parseAddress(text)).toEqual(expected);
  });

  it.each([
    ['', 'InvalidAddress'],
    ['shop:', 'InvalidAddress'],
    [':Alice', 'InvalidName'],
    ['*:Alice', 'InvalidAddress'],
    ['*:#build', 'InvalidAddress'],
    ['*:lead', 'InvalidAddress'],
    ['#', 'InvalidName'],
    ['##build', 'InvalidName'],
    ['shop:Alice:again', 'InvalidName'],
    ['**', 'InvalidName'],
    ['@', 'InvalidName'],
    ['@@Alice', 'InvalidName'],
    ['@#build', 'InvalidName'],
    ['two words', 'InvalidName'],
    ['Аlice', 'LookAlikeName'],
  ])('%j is refused with %s', (text, code) => {
    expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code }));
  });

  it('parses any text to an address or a catalogue error', () => {
    fc.assert(
      fc.property(fc.uint16Array(), (units) => {
        try {
          parseAddress(String.fromCharCode(...units));
        } catch (error) {
          expect(error).toMatchObject({
            name: 'RelayError',
            code: expect.stringMatching(/^(InvalidAddress|InvalidName|LookAlikeName)$/),
          });
        }
      }),
    );
  });
});

describe('a channel where only a channel fits', () => {
  it('may be written with or without #', () => {
    expect(parseChannelName('#build')).toBe('build');
    expect(parseChannelName('build')).toBe('build');
  });
});
