import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineReader } from './line-reader.ts';

it('finds the same lines however the bytes are cut', () => {
  const line = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\n'));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(20)), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const reader = new LineReader();
      const found: string[] = [];
      let from = 0;
      for (const cut of [...cuts, bytes.length]) {
        found.push(...reader.push(bytes.subarray(from, from + cut)));
        from += cut;
      }
      expect(found).toEqual(lines.map((text) => Buffer.from(text).toString()));
    }),
  );
});

it('drops a line that is too long, and goes on with the next', () => {
  const reader = new LineReader();
  const part = Buffer.alloc(1024 * 1024, 'x');
  for (let i = 0; i < 6; i++) expect(reader.push(part)).toEqual([]);
  expect(reader.push(Buffer.from('the end\nnext\n'))).toEqual(['next']);
});
