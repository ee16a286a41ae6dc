import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';

/** A terminal where one line at the bottom is being written and everything else appears above it. */
export class Screen {
  readonly #output: NodeJS.WriteStream;
  readonly #lines: Interface;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#output = output;
    const terminal = input.isTTY === true && output.isTTY === true;
    this.#lines = createInterface({ input, output, terminal, historySize: 200 });
    this.#lines.on('SIGINT', () => this.close());
  }

  /** Each line the person finishes, until the input ends or Ctrl-C is pressed. */
  async read(onLine: (line: string) => Promise<void>): Promise<void> {
    this.#lines.prompt();
    // Lines are dealt with one after the other, in the order they were written.
    for await (const line of this.#lines) {
      await onLine(line);
      this.#lines.prompt();
    }
  }

  set prompt(text: string) {
    this.#lines.setPrompt(text);
  }

  /** Shows text above the line that is being written, which stays as it is. */
  print(text: string): void {
    if (!this.#lines.terminal) {
      this.#output.write(`${text}\n`);
      return;
    }
    const { rows } = this.#lines.getCursorPos();
    moveCursor(this.#output, 0, -rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    // The editor goes up by the rows of its line before it draws it again.
    this.#output.write(`${text}\n${'\n'.repeat(rows)}`);
    this.#lines.prompt(true);
  }

  close(): void {
    this.#lines.close();
  }
}
