import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineReader } from '../../packages/gateway/src/json/lines.ts';
import { joinObject, scanObject } from '../../packages/gateway/src/json/raw-json.ts';

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

test('lines are cut wherever the chunks end, and an oversized one costs only itself', () => {
  const text = `${JSON.stringify({ id: 1 })}\n${'z'.repeat(5000)}"id":7}\r\n${JSON.stringify({ id: 2 })}\n`;
  for (const size of [1, 7, 1000, 10_000]) {
    const lines: string[] = [];
    const tails: string[] = [];
    const reader = new LineReader(1000, {
      line: (bytes) => lines.push(bytes.toString()),
      oversized: (_head, tail) => tails.push(tail.toString()),
    });
    for (let at = 0; at < text.length; at += size) reader.push(Buffer.from(text.slice(at, at + size)));
    expect(lines).toEqual(['{"id":1}', '{"id":2}']);
    expect(tails[0]).toMatch(/"id":7\}/);
  }
});
