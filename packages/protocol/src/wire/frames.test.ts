import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { encodeFrame, FrameParser } from './frames.ts';

/** Cuts `bytes` at the given places (in any order, any number) and parses the pieces. */
function parseSplit(bytes: Uint8Array, cuts: number[], parser = new FrameParser()) {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const texts: string[] = [];
  const invalid: string[] = [];
  for (let i = 1; i < places.length; i++) {
    parser.push(
      bytes.slice(places[i - 1], places[i]),
      (text) => texts.push(text),
      (error) => invalid.push(error.code),
    );
  }
  return { texts, invalid, parser };
}

const join = (...frames: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(frames));
const header = (length: number): Uint8Array => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, length);
  return bytes;
};
/** A frame whose body is no UTF-8. */
const invalidFrame = join(header(2), new Uint8Array([0xc3, 0x28]));

describe('frames', () => {
  it('are a big-endian length and UTF-8', () => {
    expect([...encodeFrame('{"é":1}')]).toEqual([0, 0, 0, 8, 0x7b, 0x22, 0xc3, 0xa9, 0x22, 0x3a, 0x31, 0x7d]);
  });

  it('are parsed from any split of the stream', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((candidate) => candidate.isWellFormed());
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat()), (texts, cuts) => {
        const parsed = parseSplit(join(...texts.map(encodeFrame)), cuts);
        expect(parsed.texts).toEqual(texts);
        expect(parsed.parser.buffered).toBe(0);
      }),
    );
  });

  it('are parsed from single bytes, including a leading byte order mark', () => {
    const texts = ['', '\u{FEFF}{}', 'x'.repeat(300)];
    const bytes = join(...texts.map(encodeFrame));
    expect(parseSplit(bytes, [...bytes.keys()]).texts).toEqual(texts);
  });

  it.each([
    ['array', (bytes: Uint8Array) => new Uint8Array(bytes)],
    ['buffer of Node', (bytes: Uint8Array) => Buffer.from(bytes)],
  ])('do not depend on the %s they came in once it is reused', (_, copy) => {
    const parser = new FrameParser();
    const frame = encodeFrame('precious');
    const reused = copy(frame.subarray(0, 7));
    parser.push(reused, () => undefined);
    reused.fill(0);
    const texts: string[] = [];
    parser.push(frame.subarray(7), (text) => texts.push(text));
    expect(texts).toEqual(['precious']);
  });

  it('wait until they are complete, and report the bytes held', () => {
    const { texts, parser } = parseSplit(encodeFrame('truncated').slice(0, 9), []);
    expect(texts).toEqual([]);
    expect(parser.buffered).toBe(9);
  });
});

describe('a frame that is too large', () => {
  it('is refused as soon as it is announced, in any split, and the parser stays broken', () => {
    fc.assert(
      fc.property(fc.integer({ min: 101, max: 0xff_ff_ff_ff }), fc.array(fc.nat()), (length, cuts) => {
        const parser = new FrameParser(100);
        const before = encodeFrame('fine');
        const tooLarge = expect.objectContaining({ code: 'FrameTooLarge' });
        expect(() => parseSplit(join(before, header(length)), cuts, parser)).toThrow(tooLarge);
        expect(() => parser.push(before, () => undefined)).toThrow(tooLarge);
        expect(parser.buffered).toBeLessThanOrEqual(8);
      }),
    );
  });

  it('is one byte beyond the limit, not at it', () => {
    const parser = new FrameParser(4);
    expect(parseSplit(encodeFrame('four'), [], parser).texts).toEqual(['four']);
    expect(() => parser.push(encodeFrame('five!'), () => undefined)).toThrow('5 bytes');
  });

  it('is reported for text of another protocol', () => {
    const { push } = { push: (text: string) => new FrameParser().push(Buffer.from(text), () => undefined) };
    expect(() => push('GET / HTTP/1.1\r\n\r\n')).toThrow(expect.objectContaining({ code: 'FrameTooLarge' }));
    expect(() => push('{"v":1,"type":"HELLO"}')).toThrow(expect.objectContaining({ code: 'FrameTooLarge' }));
  });
});

describe('a frame of invalid UTF-8', () => {
  it('is reported, and the frames around it are parsed in any split', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), (cuts) => {
        const bytes = join(encodeFrame('before'), invalidFrame, encodeFrame('after'), invalidFrame);
        const { texts, invalid, parser } = parseSplit(bytes, cuts);
        expect(texts).toEqual(['before', 'after']);
        expect(invalid).toEqual(['MalformedFrame', 'MalformedFrame']);
        expect(parser.buffered).toBe(0);
      }),
    );
  });

  it('breaks a parser without onInvalid', () => {
    const parser = new FrameParser();
    const malformed = expect.objectContaining({ code: 'MalformedFrame' });
    expect(() => parser.push(join(invalidFrame, encodeFrame('after')), () => undefined)).toThrow(malformed);
    expect(() => parser.push(encodeFrame('later'), () => undefined)).toThrow(malformed);
  });
});

describe('garbage', () => {
  it('results in texts, reports or FrameTooLarge, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat()), (bytes, cuts) => {
        const parser = new FrameParser(64);
        try {
          parseSplit(bytes, cuts, parser);
        } catch (error) {
          expect(error).toMatchObject({ name: 'RelayError', code: 'FrameTooLarge' });
        }
        expect(parser.buffered).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

describe('a large frame in tiny pieces', () => {
  it('is copied a fixed number of times, however many pieces it comes in', () => {
    const frame = encodeFrame('x'.repeat(200_000));
    const parser = new FrameParser();
    const texts: string[] = [];
    // Every copy of bytes is one of these two.
    const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
    const set = vi.spyOn(typedArray, 'set');
    const slice = vi.spyOn(typedArray, 'slice');
    for (let at = 0; at < frame.length; at += 16)
      parser.push(frame.subarray(at, at + 16), (text) => texts.push(text));
    const copied =
      set.mock.calls.reduce((bytes, [source]) => bytes + source.length, 0) +
      slice.mock.results.reduce((bytes, { value }) => bytes + (value as Uint8Array).length, 0);
    set.mockRestore();
    slice.mockRestore();
    expect(texts).toHaveLength(1);
    expect(copied).toBeGreaterThanOrEqual(frame.length);
    expect(copied).toBeLessThan(3 * frame.length);
  });
});
