import { Modes } from '@agent-relay/protocol/drawing';
import type { Terminal } from '@xterm/headless';

type Numbers = ReadonlyArray<number | number[]>;

/** The final letters that name a character set; `B` is the usual one. */
const CHARACTER_SETS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ`fw<=>?'];
const USUAL = 'B';

/** The modes that a program switches in a terminal, as its emulator reads them. */
export function watchModes({ parser }: Terminal): Modes {
  const modes = new Modes();
  // Only observed: the emulator handles everything as well.
  const observe = (note: () => void) => () => {
    note();
    return false;
  };
  const onSequence = (
    id: { prefix?: string; intermediates?: string; final: string },
    note: (numbers: number[]) => void,
  ) =>
    parser.registerCsiHandler(id, (numbers: Numbers) => {
      note(numbers.map((number) => (typeof number === 'number' ? number : (number[0] ?? 0))));
      return false;
    });
  const onEscape = (final: string, note: () => void, intermediates?: string) =>
    parser.registerEscHandler({ final, ...(intermediates && { intermediates }) }, observe(note));

  for (const [final, isOn] of [
    ['h', true],
    ['l', false],
  ] as const) {
    onSequence({ final }, (numbers) => {
      for (const mode of numbers) modes.switch('ansi', mode, isOn);
    });
    onSequence({ prefix: '?', final }, (numbers) => {
      for (const mode of numbers) modes.switch('private', mode, isOn);
    });
  }
  onSequence({ prefix: '>', final: 'u' }, ([flags = 0]) => modes.keyboard.push(flags));
  onSequence({ prefix: '<', final: 'u' }, ([count = 0]) => modes.keyboard.pop(count));
  onSequence({ prefix: '=', final: 'u' }, ([flags = 0, how = 0]) => modes.keyboard.set(flags, how));
  onSequence({ prefix: '>', final: 'm' }, ([resource, value = 0]) => {
    if (resource === 4) modes.modifiedKeys(value > 0);
  });
  onSequence({ intermediates: ' ', final: 'q' }, ([style = 0]) => modes.cursorStyle(style));
  onSequence({ final: 'r' }, (numbers) => modes.region(numbers.every((number) => number === 0)));
  onSequence({ final: 'm' }, (numbers) => modes.style(numbers.every((number) => number === 0)));
  onSequence({ intermediates: '!', final: 'p' }, () => modes.softReset());
  onEscape('=', () => modes.keypad(true));
  onEscape('>', () => modes.keypad(false));
  onEscape('c', () => modes.reset());
  onEscape('@', () => modes.characterSet('%', false), '%');
  onEscape('G', () => modes.characterSet('%', true), '%');
  for (const place of ['(', ')'] as const)
    for (const final of CHARACTER_SETS)
      onEscape(final, () => modes.characterSet(place, final === USUAL), place);
  return modes;
}
