import type { Terminal } from '@xterm/headless';

type Parameters = ReadonlyArray<number | number[]>;

/** Private modes that are on by default: the cursor is visible, and lines wrap. */
const ON_AT_FIRST = new Set([7, 25]);

/** Keys, cursor, mouse, focus, paste: modes that later viewers need, too. */
const REDONE = new Set([1, 12, 25, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2031]);

/**
 * The modes that a program has set and a terminal must reset afterwards: private modes and the two keyboard
 * protocols.
 */
export class Modes {
  readonly #switched = new Set<number>();
  /** The flags of the keyboard protocol, one entry for each time it was switched on. */
  readonly #keyboards: number[] = [];
  #modifiedKeys = false;

  constructor({ parser }: Terminal) {
    const watch = (prefix: string, final: string, note: (values: number[]) => void) =>
      parser.registerCsiHandler({ prefix, final }, (values: Parameters) => {
        note(values.map((value) => (typeof value === 'number' ? value : (value[0] ?? 0))));
        // Only observed: the emulator handles it as well.
        return false;
      });
    watch('?', 'h', (modes) => this.#switch(modes, true));
    watch('?', 'l', (modes) => this.#switch(modes, false));
    watch('>', 'u', ([flags]) => void this.#keyboards.push(flags ?? 0));
    watch('<', 'u', ([count]) => {
      this.#keyboards.splice(-(count || 1));
    });
    watch('>', 'm', ([resource, value]) => {
      if (resource === 4) this.#modifiedKeys = (value ?? 0) > 0;
    });
  }

  get isCursorVisible(): boolean {
    return !this.#switched.has(25);
  }

  /** Sequence that sets these modes in another terminal, beyond what drawing does. */
  redo(): string {
    const modes = [...this.#switched].filter((mode) => REDONE.has(mode));
    return [
      ...modes.map((mode) => `\x1b[?${mode}${ON_AT_FIRST.has(mode) ? 'l' : 'h'}`),
      ...this.#keyboards.map((flags) => `\x1b[>${flags}u`),
      ...(this.#modifiedKeys ? ['\x1b[>4;1m'] : []),
    ].join('');
  }

  /** Sequence that resets a terminal from these modes. */
  undo(): string {
    const modes = [...this.#switched].map((mode) => `\x1b[?${mode}${ON_AT_FIRST.has(mode) ? 'h' : 'l'}`);
    const keyboards = this.#keyboards.length > 0 ? [`\x1b[<${this.#keyboards.length}u`] : [];
    const keys = this.#modifiedKeys ? ['\x1b[>4;0m'] : [];
    if (modes.length + keyboards.length + keys.length === 0) return '';
    return [...keyboards, ...keys, ...modes, '\x1b[0m'].join('');
  }

  #switch(modes: number[], on: boolean): void {
    for (const mode of modes) {
      if (on === ON_AT_FIRST.has(mode)) this.#switched.delete(mode);
      else this.#switched.add(mode);
    }
  }
}
