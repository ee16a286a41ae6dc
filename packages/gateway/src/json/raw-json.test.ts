import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinObject, scanObject } from './raw-json.ts';

const spaced = (value: unknown, space: number) => Buffer.from(JSON.stringify(value, null, space));

test('the members found are the ones a JSON parser finds, and joining them gives the same value', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
  fc.assert(
    fc.property(objects, fc.nat(3), (value, space) => {
      const members = scanObject(spaced(value, space));
      expect(
        members && Object.fromEntries([...members].map(([key, raw]) => [key, JSON.parse(raw.toString())])),
      ).toEqual(JSON.parse(JSON.stringify(value)));
      expect(JSON.parse(joinObject(members ?? []).toString())).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('bytes that are not JSON never crash the scanner', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      scanObject(Buffer.from(noise));
      scanObject(Buffer.concat([Buffer.from('{"a":'), Buffer.from(noise), Buffer.from('}')]));
    }),
  );
});

test('long strings with escaped quotes end where they end', () => {
  const long = `${'x'.repeat(200)}\\"${'y'.repeat(200)}\\\\`;
  expect(
    scanObject(spaced({ long, next: 1 }, 0))
      ?.get('next')
      ?.toString(),
  ).toBe('1');
});

test('a key that comes twice is refused: two readers could see two messages', () => {
  expect(scanObject(Buffer.from('{"id":1,"id":2}'))).toBeUndefined();
});

test('nesting deeper than any honest message is refused', () => {
  expect(scanObject(Buffer.from(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`))).toBeUndefined();
});
