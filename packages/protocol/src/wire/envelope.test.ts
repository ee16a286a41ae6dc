import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeEnvelope, encodeEnvelope, negotiate, parsePayload } from './envelope.ts';

const envelope = (changes: Record<string, unknown> = {}): string =>
  JSON.stringify({ v: 1, type: 'SEND', id: 'r1', ts: 5, payload: { to: 'Bob' }, ...changes });

const failsWith = (code: string) => expect.objectContaining({ code });

describe('an envelope', () => {
  it('is the same after encoding and decoding', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\x21-\x7e]{1,64}$/), fc.jsonValue(), fc.nat(), (id, payload, ts) => {
        const read = decodeEnvelope(encodeEnvelope('DELIVER', id, ts, payload));
        expect(read).toEqual({ v: 1, type: 'DELIVER', id, ts, payload: JSON.parse(JSON.stringify(payload)) });
      }),
    );
  });

  it('may have an empty payload, and drops unknown fields', () => {
    expect(decodeEnvelope(envelope({ payload: null, later: true }))).toEqual({
      v: 1,
      type: 'SEND',
      id: 'r1',
      ts: 5,
      payload: null,
    });
  });

  it.each([
    ['no JSON', 'hello'],
    ['nothing', ''],
    ['not an object', '[]'],
    ['null', 'null'],
    ['a string', '"v"'],
    ['no version', envelope({ v: undefined })],
    ['a version that is no number', envelope({ v: '1' })],
    ['a type in small letters', envelope({ type: 'send' })],
    ['a type that is too long', envelope({ type: 'S'.repeat(33) })],
    ['no id', envelope({ id: undefined })],
    ['an empty id', envelope({ id: '' })],
    ['an id with a blank', envelope({ id: 'a b' })],
    ['an id of 65 letters', envelope({ id: 'x'.repeat(65) })],
    ['an id that is a number', envelope({ id: 7 })],
    ['no time', envelope({ ts: undefined })],
    ['no payload', envelope({ payload: undefined })],
  ])('is refused: %s', (_what, text) => {
    expect(() => decodeEnvelope(text)).toThrow(failsWith('MalformedFrame'));
  });

  it('of another version gets a different error than an invalid one', () => {
    expect(() => decodeEnvelope(envelope({ v: 2 }))).toThrow(failsWith('VersionMismatch'));
  });

  it('with a payload nested ten thousand levels deep does not overflow the stack', () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    expect(decodeEnvelope(`{"v":1,"type":"SEND","id":"r","ts":1,"payload":${deep}}`).type).toBe('SEND');
  });
});

describe('a payload', () => {
  const schema = z.object({ to: z.string(), limits: z.object({ size: z.int() }).optional() }).strict();

  it('of null counts as an empty one', () => {
    expect(parsePayload(z.object({}).strict(), null, 'STATUS')).toEqual({});
  });

  it.each([
    ['to', {}],
    ['to', { to: 5 }],
    ['limits.size', { to: 'Bob', limits: { size: 1.5 } }],
  ])('with a wrong %s says so', (field, payload) => {
    expect(() => parsePayload(schema, payload, 'SEND')).toThrow(
      expect.objectContaining({
        code: 'InvalidRequest',
        message: expect.stringContaining(`SEND: ${field}`),
        details: { field },
      }),
    );
  });

  it.each([
    ['a missing field', { limit: 5 }, 'query: is missing.'],
    ['an empty text', { query: '', limit: 5 }, 'query: is empty.'],
    ['a long text', { query: 'abcde', limit: 5 }, 'query: at most 4 characters.'],
    ['a low number', { query: 'a', limit: 0 }, 'limit: at least 1.'],
    ['a high number', { query: 'a', limit: 501 }, 'limit: at most 500.'],
    ['a broken number', { query: 'a', limit: 1.5 }, 'limit: must be a whole number.'],
    ['a list', { query: [], limit: 5 }, 'query: must be text.'],
    ['no choice of several', { query: 'a', limit: 5, kind: 'joke' }, 'kind: must be one of free, status.'],
    ['words of the schema', { query: 'a', limit: 5, emoji: 'x' }, 'emoji: must be one emoji.'],
  ])('with %s is refused in plain words', (_what, payload, words) => {
    const search = z.object({
      query: z.string().min(1).max(4),
      limit: z.int().min(1).max(500),
      kind: z.enum(['free', 'status']).optional(),
      emoji: z.string().regex(/:/, 'must be one emoji').optional(),
    });
    expect(() => parsePayload(search, payload, 'SEARCH')).toThrow(
      expect.objectContaining({ message: `SEARCH: ${words}` }),
    );
  });

  it('with an unknown field names it', () => {
    expect(() => parsePayload(schema, { to: 'Bob', tto: 'Bob' }, 'SEND')).toThrow(/tto/);
  });
});

describe('version negotiation', () => {
  it.each([
    ['the same', { min: 1, max: 1 }, { min: 1, max: 1 }, 1],
    ['the newest of several', { min: 1, max: 4 }, { min: 2, max: 3 }, 3],
    ['an older client', { min: 1, max: 2 }, { min: 2, max: 5 }, 2],
    ['a newer client', { min: 3, max: 9 }, { min: 1, max: 3 }, 3],
    ['a client that is too old', { min: 1, max: 1 }, { min: 2, max: 3 }, undefined],
    ['a client that is too new', { min: 4, max: 5 }, { min: 1, max: 3 }, undefined],
    ['a client that contradicts itself', { min: 3, max: 1 }, { min: 1, max: 3 }, undefined],
  ])('%s', (_what, client, own, version) => {
    expect(negotiate(client, own)).toBe(version);
  });

  it('uses the versions of this package by default', () => {
    expect(negotiate({ min: 1, max: 9 })).toBe(1);
    expect(negotiate({ min: 2, max: 9 })).toBeUndefined();
  });

  it('is symmetric: client and daemon find the same one', () => {
    const range = fc.tuple(fc.nat(9), fc.nat(9)).map(([min, more]) => ({ min, max: min + more }));
    fc.assert(fc.property(range, range, (one, other) => negotiate(one, other) === negotiate(other, one)));
  });
});
