/** What a viewer can do besides typing. */
export type ViewerCommand = 'detach' | 'hold' | 'take' | 'keys';

/** Ctrl-] as terminals send it: plain, and in the two extended keyboard protocols. */
const PREFIX = '(?:\\u001d|\\u001b\\[93;5u|\\u001b\\[27;5;93~)';
const COMMANDS: Readonly<Record<string, ViewerCommand>> = { d: 'detach', h: 'hold', t: 'take' };

/** Splits a viewer's keys: Ctrl-] and a letter is a command, Ctrl-] twice is Ctrl-], the rest goes to the program. */
export class ViewerKeys {
  readonly #split = new RegExp(`(${PREFIX})`, 'u');
  #isAfterPrefix = false;

  read(keys: Buffer): Array<Buffer | ViewerCommand> {
    const parts = keys.toString('latin1').split(this.#split);
    return parts.filter((part) => part !== '').flatMap((part) => this.#take(part));
  }

  #take(part: string): Array<Buffer | ViewerCommand> {
    const isPrefix = this.#split.test(part);
    if (!this.#isAfterPrefix) {
      if (!isPrefix) return [Buffer.from(part, 'latin1')];
      this.#isAfterPrefix = true;
      return [];
    }
    this.#isAfterPrefix = false;
    if (isPrefix) return [Buffer.from(part, 'latin1')];
    const command = COMMANDS[part[0]?.toLowerCase() ?? ''] ?? 'keys';
    const rest = part.slice(1);
    return [command, ...(rest === '' ? [] : [Buffer.from(rest, 'latin1')])];
  }
}
