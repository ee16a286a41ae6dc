import { afterEach, expect, it, vi } from 'vitest';
import { ago, duration, offset, print, printAside, table } from './terminal.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  [0, 'just now'],
  [59_999, '59s ago'],
  [120_000, '2m ago'],
  [7_300_000, '2h ago'],
  [200_000_000, '2d ago'],
  [-5000, 'just now'],
])('%d ms is "%s"', (ms, words) => {
  expect(ago(1_000_000_000 - ms, 1_000_000_000)).toBe(words);
});

it('shows zero for a negative duration, as after the clock was set back', () => {
  expect([duration(-3_600_000), duration(-1), duration(0), duration(61_000)]).toEqual([
    '0s',
    '0s',
    '0s',
    '1m',
  ]);
});

it.each([
  [-5, '+0 ms'],
  [13, '+13 ms'],
  [999, '+999 ms'],
  [1000, '+1.0 s'],
  [59_999, '+59.9 s'],
  [125_000, '+2m'],
])('%d ms later is "%s"', (ms, words) => {
  expect(offset(ms)).toBe(words);
});

it('aligns columns with or without colour, and adds no trailing spaces', () => {
  expect(
    table([
      ['NAME', 'STATE'],
      ['\u001b[1mA\u001b[22m', 'ok'],
      ['Alice', ''],
    ]),
  ).toBe('NAME   STATE\n\u001b[1mA\u001b[22m      ok\nAlice');
});

it('prints styles, line ends and tabs, and no other control', () => {
  const written: unknown[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(text) > 0);
  const hostile = 'a\u001b]0;T\u0007\u001b[6n\u009d\r\u007f\u001b\u0000[31m';
  for (const show of [print, printAside]) show(`\u001b[1;31m${hostile}\u001b[0m\n\tb`);
  const line = '\u001b[1;31ma\ufffd]0;T\ufffd\ufffd[6n\ufffd\ufffd\ufffd\ufffd\ufffd[31m\u001b[0m\n\tb\n';
  expect(written).toEqual([line, line]);
});
