import fc from 'fast-check';

const letters = (text: string): fc.Arbitrary<number> => fc.constantFrom(...Buffer.from(text));
const within = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const joined = (...parts: Array<fc.Arbitrary<readonly number[]>>): fc.Arbitrary<number[]> =>
  fc.tuple(...parts).map((pieces) => pieces.flat());
const some = (one: fc.Arbitrary<number>, maxLength: number): fc.Arbitrary<number[]> =>
  fc.array(one, { maxLength });
const known = (texts: readonly string[]): fc.Arbitrary<number[]> =>
  fc.constantFrom(...texts.map((text) => [...Buffer.from(text)]));

/** What must not happen in the terminal of a viewer. */
const HOSTILE = [
  '\x1b]0;TITLE\x07',
  '\x1b]2;TITLE\x1b\\',
  '\x1b]52;c;ZXZpbA==\x07',
  '\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x07',
  '\x1b]4;1;rgb:00/00/00\x07\x1b]10;?\x07\x1b]11;?\x07\x1b]104\x07',
  '\x1b]777;notify;a;b\x07\x1b]9;note\x07\x1b]1337;File=:AA==\x07',
  '\x1bP$qm\x1b\\\x1bP+q544e\x1b\\\x1bPtmux;\x1b\x1b]0;x\x07\x1b\\',
  '\x1bkTITLE\x1b\\',
  '\x1b_Gi=1,a=q;AAAA\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\',
  '\x1b[c\x1b[>c\x1b[=c\x1bZ\x05\x1b[>q',
  '\x1b[5n\x1b[6n\x1b[?6n\x1b[?996n\x1b[x',
  '\x1b[?2004$p\x1b[4$p\x1b[?u\x1b[?1;1;0S\x1b[1;1;1;1;9;9*y',
  '\x1b[21t\x1b[18t\x1b[8;5;5t\x1b[22;0t\x1b[5i',
  '\x1b%@\x1b%G\x1b(A\x1b*0\x1b+0\x1bn\x1bo\x0e',
  '\x1b[2h\x1b[4h\x1b[12l\x1b[20h\x1b=\x1b[?66h',
  '\x1b[?3h\x1b[?9h\x1b[?12h\x1b[?40h\x1b[?69h\x1b[?1001h\x1b[?1007h\x1b[?2031h\x1b[?2048h',
  '\x1b[?1;5;6;45;1000;1003;1006;1016;1004;2004;2026h\x1b[?7;25l',
  '\x1b[2;5r\x1b[?1049h\x1b[>31u\x1b[=31u\x1b[>4;2m\x1b[6 q',
  '\x1bH\x1b[3g\x1b#8\x1b[1"q\x1b[2147483647b\x1bc',
  'x\x1b[99999999L\x1b[99999999S\x1b[99999999b',
  '\u009d0;TITLE\u009c\u009b6n\u0090$qm\u009c\u009a',
];
/** Characters that are cut short, too long or none, and controls in their second form, whole and as single bytes. */
const BROKEN = [
  [0xc2],
  [0xe2, 0x94],
  [0xf0, 0x9f, 0x91],
  [0xc0, 0x9b],
  [0xe0, 0x82, 0x9d],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xff],
  [0xc2, 0xc2, 0x9d],
  [0xc2, 0x9b],
  [0xc2, 0x9d],
  [0xc2, 0x9c],
  [0x9b],
  [0x9d],
  [0x90],
];

const byte = within(0, 255);
const text = known(['text', 'Grüße 世界 👋🏽', '\r\n', ' ', 'qxj', 'e\u0301', '0;TITLE', '52;c;ZXZpbA==']);
const introducer = known(['\x1b', '\x1b[', '\x1b]', '\x1bP', '\u009b', '\x1b_', '\x1bk', '\x1b(', '\x1b%']);
const terminator = known(['\x07', '\x1b\\', '\u009c', '\x18', '\x1a', '', '\x1b']);
const anySequence = joined(
  known(['\x1b[', '\u009b']),
  some(letters('<=>?'), 1),
  some(letters('0123456789;;:'), 10),
  some(letters(' !"#$%&\'()*+,-./'), 2),
  some(within(0x40, 0x7e), 1),
);
const anyEscape = joined(known(['\x1b']), some(letters(' !"#$%()*+-./'), 2), some(within(0x30, 0x7e), 1));
const anyText = joined(introducer, some(within(0x20, 0x7f), 8), terminator);
const piece: fc.Arbitrary<readonly number[]> = fc.oneof(
  { weight: 3, arbitrary: known(HOSTILE) },
  { weight: 3, arbitrary: anySequence },
  { weight: 2, arbitrary: anyEscape },
  { weight: 2, arbitrary: anyText },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: introducer },
  { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
  { weight: 1, arbitrary: some(byte, 8) },
);
/** What terminals execute or ignore inside of a sequence, and what ends or restarts one. */
const NOISE = [
  0x00, 0x05, 0x07, 0x0a, 0x0e, 0x18, 0x19, 0x1a, 0x1b, 0x3a, 0x3f, 0x7f, 0x80, 0x9b, 0x9d, 0xc2, 0xff,
];

export interface Stream {
  bytes: Buffer;
  /** The same, as it arrives. */
  chunks: Buffer[];
}

const inChunks = ([given, cuts]: [number[], number[]]): Stream => {
  const bytes = Buffer.from(given);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((one, other) => one - other);
  const chunks = [0, ...places].map((from, at) => bytes.subarray(from, places[at]));
  return { bytes, chunks };
};
const cuts = fc.array(fc.nat(1000), { maxLength: 4 });

/** Output that tries everything: sequences of all kinds, with controls and broken characters put in at any place. */
export const hostileStreams = (): fc.Arbitrary<Stream> =>
  fc
    .tuple(
      fc.array(piece, { minLength: 1, maxLength: 5 }),
      fc.array(fc.tuple(fc.nat(1000), fc.constantFrom(...NOISE)), { maxLength: 4 }),
      cuts,
    )
    .map(([pieces, noise, places]) => {
      const bytes = pieces.flat();
      for (const [at, added] of noise) bytes.splice(at % (bytes.length + 1), 0, added);
      return inChunks([bytes, places]);
    });

const ascii = (made: string): number[] => [...Buffer.from(made)];
const count = fc.oneof(fc.constant(''), within(0, 30).map(String));
const styles = fc.array(
  fc.constantFrom(
    ...'0 1 2 3 4 5 7 8 9 21 22 24 27 29 31 39 42 49 53 95 103'.split(' '),
    '38;5;123',
    '48;2;1;2;3',
    '4:3',
    '38:2::9:8:7',
    '58;5;4',
  ),
  { maxLength: 4 },
);
const drawnPiece = fc.oneof(
  {
    weight: 4,
    arbitrary: known(['text and more text', 'Grüße', '世界', '─│┌', 'e\u0301', 'x'.repeat(50), ' ']),
  },
  { weight: 2, arbitrary: known(['\r', '\n', '\r\n', '\t', '\b', '\v', '\f']) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(count, fc.constantFrom(...'@ABCDEFGILMPSTXZ`abde'))
      .map(([number, final]) => ascii(`\x1b[${number}${final}`)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(count, count, fc.constantFrom(...'Hf'))
      .map(([row, column, final]) => ascii(`\x1b[${row};${column}${final}`)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(within(0, 2), letters('JK')).map(([part, final]) => [0x1b, 0x5b, 0x30 + part, final]),
  },
  { weight: 3, arbitrary: styles.map((list) => ascii(`\x1b[${list.join(';')}m`)) },
  {
    weight: 1,
    arbitrary: fc.tuple(within(1, 9), within(10, 24)).map(([top, bottom]) => ascii(`\x1b[${top};${bottom}r`)),
  },
  {
    weight: 1,
    arbitrary: known([
      '\x1bD',
      '\x1bE',
      '\x1bM',
      '\x1b[r',
      '\x1b[?7l',
      '\x1b[?7h',
      '\x1b[4h',
      '\x1b[4l',
      '\x1b[?6h',
      '\x1b[?6l',
    ]),
  },
  {
    weight: 1,
    arbitrary: known([
      '\x1b[3\r1m',
      '\x1b[\x7f2\nC',
      '\x1b[1\x1b[4m',
      '\x1b[31\x18m',
      '\x1b[9\x1a ',
      '\x1b[?25l',
    ]),
  },
);
/** A program does not save the cursor between lines that it draws with letters: terminals differ in what that saves. */
const withSavedCursor = known([
  '\x1b7',
  '\x1b8',
  '\x1b[s',
  '\x1b[u',
  '\x1b[?1049h',
  '\x1b[?1049l',
  '\x1b[!p',
]);
const withLines = known(['\x1b(0lqqk', '\x1b(B ', '\x1b)0 ', '\x0exxq\x0f ', '\x1b(0 ', '`~_a']);

/**
 * Output that only draws, where terminals agree; a letter is not repeated after something that has no effect. With lines: also lines, by letters of another character set.
 */
export const drawingStreams = ({ lines }: { lines: boolean }): fc.Arbitrary<Stream> =>
  fc
    .constantFrom(withSavedCursor, ...(lines ? [withLines] : []))
    .chain((more) =>
      fc.tuple(
        fc.array(fc.oneof({ weight: 5, arbitrary: drawnPiece }, more), { minLength: 1, maxLength: 12 }),
        cuts,
      ),
    )
    .map(([pieces, places]) => inChunks([pieces.flat(), places]));
