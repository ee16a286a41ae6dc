import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinObject, scanObject } from './raw-json.ts';

const spaced = (value: unknown, space: number) => Buffer.from(JSON.stringify(value, null, space));

test('finds the same members as a JSON parser, and joins them to the same value', () => {
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

test('never crashes on bytes that are not JSON', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      scanObject(Buffer.from(noise));
      scanObject(Buffer.concat([Buffer.from('{"a":'), Buffer.from(noise), Buffer.from('}')]));
    }),
  );
});

test('finds the end of long strings with escaped quotes', () => {
  const long = `${'x'.repeat(200)}\\"${'y'.repeat(200)}\\\\`;
  expect(
    scanObject(spaced({ long, next: 1 }, 0))
      ?.get('next')
      ?.toString(),
  ).toBe('1');
});

test('refuses a duplicate key, which two parsers could read differently', () => {
  expect(scanObject(Buffer.from('{"id":1,"id":2}'))).toBeUndefined();
});

test('refuses excessive nesting', () => {
  expect(scanObject(Buffer.from(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`))).toBeUndefined();
});
