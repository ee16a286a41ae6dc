/** What a viewer can ask for beside typing. */
export type ViewerCommand = 'detach' | 'hold' | 'take';

/** Ctrl-], as terminals send it: plainly, and in the two protocols that tell keys apart. */
const PREFIX = '(?:\\u001d|\\u001b\\[93;5u|\\u001b\\[27;5;93~)';
const COMMANDS: Readonly<Record<string, ViewerCommand>> = { d: 'detach', h: 'hold', t: 'take' };

/** Tells the keys of a viewer apart: Ctrl-] and a letter is for the viewer, Ctrl-] twice is Ctrl-], the rest is for the program. */
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
    const command = COMMANDS[part[0]?.toLowerCase() ?? ''];
    const rest = part.slice(1);
    return [...(command ? [command] : []), ...(rest === '' ? [] : [Buffer.from(rest, 'latin1')])];
  }
}
