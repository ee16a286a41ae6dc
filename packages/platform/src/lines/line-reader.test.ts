import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineReader } from './line-reader.ts';

/** A reader and what it found: the text of a line, the ends of one that was too long. */
function reading(limit: number) {
  const found: Array<string | { head: string; tail: string }> = [];
  const reader = new LineReader(limit, {
    line: (bytes) => found.push(bytes.toString()),
    oversized: (head, tail) => found.push({ head: head.toString(), tail: tail.toString() }),
    blank: () => found.push(''),
  });
  return { reader, found };
}

it('finds the same lines however the bytes are split', () => {
  const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\n\r]/.test(text));
  const end = fc.constantFrom('\n', '\r\n');
  fc.assert(
    fc.property(fc.array(fc.tuple(line, end)), line, fc.array(fc.nat(20)), (lines, last, cuts) => {
      const bytes = Buffer.from(lines.map((parts) => parts.join('')).join('') + last);
      const { reader, found } = reading(1000);
      let from = 0;
      for (const cut of [...cuts, bytes.length]) {
        reader.push(bytes.subarray(from, from + cut));
        from += cut;
      }
      reader.end();
      const all = [...lines.map(([text]) => text), ...(last === '' ? [] : [last])];
      expect(found).toEqual(all.map((text) => Buffer.from(text).toString()));
    }),
  );
});

it.each([1, 7, 1000, 10_000])('in chunks of %i, drops only the line that is too long', (size) => {
  const text = `one\nbegin${'x'.repeat(5000)}the end\nnext\n`;
  const { reader, found } = reading(1000);
  for (let at = 0; at < text.length; at += size) reader.push(Buffer.from(text.slice(at, at + size)));
  expect(found).toEqual([
    'one',
    { head: expect.stringMatching(/^beginx{507}$/), tail: expect.stringMatching(/^x{505}the end$/) },
    'next',
  ]);
});

it('accepts a line of exactly the limit', () => {
  const { reader, found } = reading(4);
  reader.push(Buffer.from('four\n5five\n'));
  reader.push(Buffer.from('6'));
  reader.push(Buffer.from('sixth'));
  reader.end();
  expect(found).toEqual(['four', { head: '5five', tail: '5five' }, { head: '6sixth', tail: '6sixth' }]);
});

it('reports blank lines only if asked to', () => {
  const found: string[] = [];
  const reader = new LineReader(10, {
    line: (bytes) => found.push(bytes.toString()),
    oversized: () => expect.unreachable(),
  });
  reader.push(Buffer.from('\n\r\na\n\n'));
  reader.end();
  expect(found).toEqual(['a']);
});
