import type { ByteWriter } from './byte-writer.ts';
import type { ControlSequence } from './parser.ts';

/** Colours whose numbers follow: of the text, behind it, of the line below it. */
const COLOURS: ReadonlySet<number> = new Set([38, 48, 58]);
const INDEXED = 5;
const DIRECT = 2;

/** Colours, weights and lines; but no fonts, which are character sets in some terminals. */
const isStyle = (number: number): boolean =>
  number < 10 || (number > 20 && number < 60) || (number >= 90 && number < 108);

/** Writes the look of the text that follows. */
export function writeStyle(writer: ByteWriter, sequence: ControlSequence): void {
  const { numbers, isPart, count } = sequence;
  if (count === 0) writer.ascii('\x1b[m');
  let isBegun = false;
  for (let at = 0; at < count; ) {
    const end = endOfStyle(sequence, at);
    // A colour without its numbers.
    if (end > count) break;
    if (isStyle(Math.max(0, numbers[at] ?? 0))) {
      if (!isBegun) writer.ascii('\x1b[');
      for (let part = at; part < end; part++) {
        if (part > at || isBegun) writer.byte(isPart[part] === 1 ? 0x3a : 0x3b);
        const number = numbers[part] ?? -1;
        if (number >= 0) writer.decimal(number);
      }
      isBegun = true;
    }
    at = end;
  }
  if (isBegun) writer.byte(0x6d);
}

/** Where the numbers end that belong to the one at a place: after `:`, or in the older form after `;`. */
function endOfStyle({ numbers, isPart, count }: ControlSequence, at: number): number {
  let end = at + 1;
  while (end < count && isPart[end] === 1) end++;
  if (end > at + 1 || !COLOURS.has(numbers[at] ?? 0)) return end;
  const form = end < count ? numbers[end] : undefined;
  return at + (form === INDEXED ? 3 : form === DIRECT ? 5 : count + 1);
}
