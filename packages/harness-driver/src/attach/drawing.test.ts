import { describe, expect, it } from 'vitest';
import { Drawing } from './drawing.ts';

const drawn = (...pieces: string[]): string => {
  const drawing = new Drawing();
  return Buffer.concat(pieces.map((piece) => drawing.of(Buffer.from(piece)))).toString();
};

describe('what a program writes', () => {
  it.each([
    ['text', 'Grüße, 世界 👋\r\n\tend\u00a0é'],
    ['colours and positions', '\x1b[1;38;2;1;2;3mred\x1b[0m\x1b[2J\x1b[10;20H\x1b[K\x1b[3 q'],
    ['modes', '\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1000;1006h\x1b[>1u\x1b[<u\x1b[=5;1u\x1b[>4;2m'],
    ['scrolling, charsets, the cursor', '\x1b[5;20r\x1b[3S\x1b[2T\x1bM\x1b7\x1b8\x1b(B\x1b=\x1b[s\x1b[u'],
  ])('is drawn: %s', (_, text) => {
    expect(drawn(text)).toBe(text);
    const drawing = new Drawing();
    const bytes = [...Buffer.from(text)].flatMap((byte) => [...drawing.of(Uint8Array.of(byte))]);
    expect(Buffer.from(bytes).toString()).toBe(text);
  });

  it.each([
    ['a title', '\x1b]0;innocent\x07'],
    ['the clipboard', '\x1b]52;c;cm0gLXJmIH4=\x1b\\'],
    ['a link', '\x1b]8;;https://evil.example\x1b\\'],
    ['a notification', '\x1b]777;notify;a;b\x07'],
    ['a device command', '\x1bP+q544e\x1b\\\x1bP$qm\x1b\\'],
    ['a title of screen', '\x1bkname\x1b\\'],
    ['other texts', '\x1b_Gi=1\x1b\\\x1b^private\x1b\\\x1bXstring\x1b\\'],
    ['the other form of controls', '\u009d52;c;cm0=\u009c'],
    ['who are you', '\x1b[c\x1b[>c\x1b[=0c\x1bZ\x05\x1b[>0q'],
    ['where is the cursor', '\x1b[6n\x1b[?6n\x1b[5n'],
    ['which modes', '\x1b[?2004$p\x1b[4$p\x1b[?u\x1b[x'],
    ['windows', '\x1b[21t\x1b[8;10;10t\x1b[18t'],
    ['printing', '\x1b[5i\x1b[?5i\x1b[i'],
    ['checksums', '\x1b[1;1;1;1;24;80*y\x1b[1$w'],
  ])('is not executed: %s', (_, text) => {
    const harmless = text.startsWith('\u009d') ? '52;c;cm0=' : '';
    expect(drawn(`a${text}b`)).toBe(`a${harmless}b`);
    for (let at = 1; at < text.length; at++)
      expect(drawn(`a${text.slice(0, at)}`, `${text.slice(at)}b`)).toBe(`a${harmless}b`);
  });

  it('is not hidden behind a text without an end', () => {
    expect(drawn('a\x1b]0;title\x1b[31mred')).toBe('a\x1b[31mred');
    expect(drawn(`a\x1b[${'1;'.repeat(1000)}`, 'b').length).toBeLessThan(2000);
  });
});
