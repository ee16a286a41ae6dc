import { describe, expect, it } from 'vitest';
import { Drawing } from './drawing.ts';

const SIZE = { columns: 80, rows: 24 };
const ESC = '\x1b';

/** Text, or bytes that are none. */
type Piece = string | number[];
const bytesOf = (piece: Piece): Buffer =>
  typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece);

const drawn = (...pieces: Piece[]): string => {
  const drawing = new Drawing(SIZE);
  return Buffer.concat(pieces.map((piece) => drawing.of(bytesOf(piece)))).toString();
};
/** The same, however it is cut in two, and a byte at a time. */
const drawnInPieces = (bytes: Buffer): string[] => {
  const drawing = new Drawing(SIZE);
  const single = Buffer.concat([...bytes].map((byte) => drawing.of(Uint8Array.of(byte)))).toString();
  const cut = Array.from(bytes, (_, at) => drawn([...bytes.subarray(0, at)], [...bytes.subarray(at)]));
  return [single, ...cut];
};

describe('what a program draws', () => {
  it.each([
    ['text', 'Grüße, 世界 👋\r\n\tend\u00a0é\b\v\f\x07'],
    ['colours and positions', '\x1b[1;38;2;1;2;3mred\x1b[0m\x1b[m\x1b[2J\x1b[10;20H\x1b[K\x1b[;5H\x1b[3 q'],
    ['colours with parts', '\x1b[4:3;38:2::1:2:3;58:5:9;48;5;12;97;107mred'],
    ['modes', '\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1000h\x1b[?1006h\x1b[?2026h\x1b[4h\x1b[4l\x1b=\x1b>'],
    ['keyboards', '\x1b[>1u\x1b[=5u\x1b[<1u\x1b[>4;2m\x1b[>4;0m'],
    [
      'scrolling and the cursor',
      '\x1b[5;20r\x1b[3S\x1b[2T\x1bM\x1bD\x1bE\x1b7\x1b8\x1b[s\x1b[u\x1b[r\x1b[!p',
    ],
    [
      'inserting, deleting, repeating',
      '\x1b[2@\x1b[3P\x1b[4X\x1b[2L\x1b[2M-\x1b[20b\x1b[2I\x1b[Z\x1b[3`\x1b[4d',
    ],
  ])('passes as it is: %s', (_, text) => {
    expect(drawn(text)).toBe(text);
    for (const other of drawnInPieces(Buffer.from(text))) expect(other).toBe(text);
  });

  it.each<[string, Piece, string]>([
    ['a list of modes becomes single ones', '\x1b[?1000;1006;12;9999h', '\x1b[?1000h\x1b[?1006h'],
    ['sequences in their second form', '\u009b31mred\u0085\u008d', '\x1b[31mred\x1bE\x1bM'],
    ['controls inside a sequence come first', '\x1b[3\r1\n\x7fmred', '\r\n\x1b[31mred'],
    ['leading zeros and numbers beyond any screen', '\x1b[007;99999999999H', '\x1b[7;9999H'],
    ['no more than fits on the screen', 'x\x1b[99999b\x1b[9999L\x1b[500@', 'x\x1b[80b\x1b[24L\x1b[80@'],
    ['a cancelled sequence', 'a\x1b[31\x18b\x1b[3\x1a1mc', 'ab1mc'],
    ['a sequence begun again', '\x1b[3\x1b[31mred', '\x1b[31mred'],
    ['lines drawn with letters', '\x1b(0lqk\x1b(B lqk \x1b)0\x0emqj\x0f', '┌─┐ lqk └─┘'],
    ['lines, after the cursor is restored', '\x1b(0\x1b7\x1b(Bq\x1b8q', '\x1b7q\x1b8─'],
    ['fonts', '\x1b[11mq\x1b[31;12;1m', 'q\x1b[31;1m'],
    [
      'bytes that are not UTF-8',
      [0x61, 0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xe2, 0x94, 0x62],
      'a������\uFFFDb',
    ],
    ['a character cut short by a sequence', [0xe2, 0x94, 0x1b, 0x5b, 0x6d], '\uFFFD\x1b[m'],
  ])('is written in its plainest form: %s', (_, text, plain) => {
    expect(drawn(text)).toBe(plain);
    for (const other of drawnInPieces(bytesOf(text))) expect(other).toBe(plain);
  });

  it('keeps what the viewer had on their terminal', () => {
    expect(drawn('\x1b[3J\x1b[2J')).toBe('\x1b[2J');
    expect(drawn('\x1bc').endsWith('\x1b[H\x1b[2J')).toBe(true);
    expect(drawn('\x1b[>1u\x1b[<5u\x1b[<u')).toBe('\x1b[>1u\x1b[<1u');
  });

  it('takes no memory for a sequence without an end', () => {
    const drawing = new Drawing(SIZE);
    const kept = ['\x1b[', '\x1b]52;c;', '\x1bP', '\x1b[ '].map((begin) => {
      drawing.of(Buffer.from(begin));
      return drawing.of(Buffer.from('1;'.repeat(1_000_000))).length;
    });
    expect(kept).toEqual([0, 0, 0, 0]);
    expect(Buffer.from(drawing.of(Buffer.from('\x1b[31mred'))).toString()).toBe('\x1b[31mred');
  });
});

/** Between the letters of a sequence: what terminals execute or ignore there, and stay in it. */
const BETWEEN = ['', '\x00', '\n', '\x07', '\x7f', '\x05', '\x19'];

describe('what else a program writes', () => {
  it.each([
    ['a title', '\x1b]0;innocent\x07'],
    ['the clipboard', '\x1b]52;c;cm0gLXJmIH4=\x1b\\'],
    ['a link', '\x1b]8;;https://evil.example\x1b\\'],
    ['a notification', '\x1b]777;notify;a;b\x07'],
    ['the palette', '\x1b]4;1;red\x07\x1b]10;?\x07\x1b]104\x07'],
    ['a device command', '\x1bP+q544e\x1b\\\x1bP$qm\x1b\\'],
    ['a title of screen', '\x1bkname\x1b\\'],
    ['other texts', '\x1b_Gi=1\x1b\\\x1b^private\x1b\\\x1bXstring\x1b\\'],
    ['the other form of texts', '\u009d52;c;cm0=\u009c\u0090$qm\u009c\u009a'],
    ['who are you', '\x1b[c\x1b[>c\x1b[=0c\x1bZ\x05\x1b[>0q'],
    ['where is the cursor', '\x1b[6n\x1b[?6n\x1b[5n\x1b[?996n'],
    ['which modes', '\x1b[?2004$p\x1b[4$p\x1b[?u\x1b[x\x1b[?4m\x1b[>4n'],
    ['windows', '\x1b[21t\x1b[8;10;10t\x1b[18t\x1b[22;0t'],
    ['printing', '\x1b[5i\x1b[?5i\x1b[i'],
    ['checksums and reports', '\x1b[1;1;1;1;24;80*y\x1b[1$w\x1b[?1;1;0S'],
    ['character sets', '\x1b%@\x1b%G\x1b*0\x1b+A\x1bn\x1bo\x1bN\x1b~'],
    [
      'other modes',
      '\x1b[2h\x1b[20h\x1b[12l\x1b[?3h\x1b[?69h\x1b[?1001h\x1b[?1007h\x1b[?2048h\x1b[?9h\x1b[?12h',
    ],
    ['saved modes', '\x1b[?1000s\x1b[?1000r'],
    ['tab stops, tests, protection', '\x1bH\x1b[3g\x1b#8\x1b[1"q\x1b F\x1b G'],
    ['mouse highlighting', '\x1b[1;2;3;4;5T'],
  ])('has no effect: %s', (_, text) => {
    expect(drawn(`a${text}b`)).toBe('ab');
    for (const other of drawnInPieces(Buffer.from(`a${text}b`))) expect(other).toBe('ab');
  });

  it.each([
    ['the clipboard', ']52;c;ZXZpbA==\x07'],
    ['a title', ']0;TITLE\x07'],
    ['a link', ']8;;URL\x07'],
    ['a query', 'P$qm\x1b\\'],
    ['who are you', 'Z'],
    ['where is the cursor', '[6n'],
  ])('has no effect after a control or a restart: %s', (_, text) => {
    for (const between of BETWEEN)
      for (const begin of [ESC, `${ESC}${ESC}`, `${ESC}[3`, `${ESC}(`, `${ESC}]0;x`]) {
        const rest = begin.endsWith(ESC) ? text : `${ESC}${text}`;
        // Of what stands between, only the controls that draw remain.
        expect(['', '\n', '\x07']).toContain(drawn(`${begin}${between}${rest}`));
      }
  });

  it('has no effect after a byte that only looks like the begin of a character', () => {
    expect(drawn([0xc2, 0xc2, 0x9d], '0;title\x07')).toBe('\uFFFD');
    expect(drawn([0xe2, 0xc2, 0x9d], '0;title\x07')).toBe('\uFFFD');
    // In UTF-8, a single byte is no control: terminals show a replacement, and what follows.
    expect(drawn([0x9d], '0;title')).toBe('\uFFFD0;title');
  });

  it('does not hide what follows a text without an end', () => {
    expect(drawn('a\x1b]0;title\x1b[31mred')).toBe('a\x1b[31mred');
  });
});

describe('leaving', () => {
  it('resets every mode, in the order they lie above each other', () => {
    const drawing = new Drawing(SIZE);
    drawing.of(Buffer.from('\x1b[>1u\x1b[?1049h\x1b[>3u\x1b[>5u\x1b[>4;2m\x1b[5 q'));
    const undone = drawing.undo();
    expect(undone.startsWith('\x1b[<2u\x1b[?1049l\x1b[<1u\x1b[>4;0m\x1b[0 q')).toBe(true);
    for (const mode of ['4l', '?1l', '?6l', '?7h', '?25h', '?1003l', '?2004l', '?2026l', 'r', '0m'])
      expect(undone).toContain(`\x1b[${mode}`);
    expect(undone).toContain('\x1b>');
  });

  it('leaves alone what lies below, if nothing was put on it', () => {
    const untouched = new Drawing(SIZE).undo();
    for (const sequence of ['u', '1049l', '>4', ' q']) expect(untouched).not.toContain(sequence);
  });
});
