import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import type { IUnicodeVersionProvider, Terminal } from '@xterm/headless';

/** Vowel signs with a column of their own, and those of Thai and Lao that are letters. */
const SPACING_MARK = /[\p{Mc}\u0E33\u0EB3]/u;
const FIRST_MARK = 0x0903;
/** One column, not joined with what is before it. */
const OWN_COLUMN = 1 << 1;

const VERSION = 'cli';

type ActivatedTerminal = Parameters<UnicodeGraphemesAddon['activate']>[0];

/**
 * Counts columns as CLIs do: an emoji has two, also a joined one. A vowel sign that takes space has its own: where the emulator counts
 * fewer columns than the CLI, letters of earlier pictures stay.
 */
export function countAsClis(terminal: Terminal): void {
  const { unicode } = terminal;
  const register = (graphemes: IUnicodeVersionProvider) => {
    if (graphemes.version !== '15-graphemes') return;
    unicode.register({
      version: VERSION,
      wcwidth: (code) => graphemes.wcwidth(code),
      charProperties: (code, before) =>
        code >= FIRST_MARK && SPACING_MARK.test(String.fromCodePoint(code))
          ? OWN_COLUMN
          : graphemes.charProperties(code, before),
    });
  };
  // The addon is the only way to its tables.
  const collector = { unicode: { register, activeVersion: '' } };
  new UnicodeGraphemesAddon().activate(collector as unknown as ActivatedTerminal);
  unicode.activeVersion = VERSION;
}
