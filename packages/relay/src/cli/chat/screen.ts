import {
  type CompleterResult,
  clearScreenDown,
  createInterface,
  cursorTo,
  type Interface,
  moveCursor,
} from 'node:readline';

/** A terminal where one line at the bottom is being written and everything else appears above it. */
export class Screen {
  readonly #output: NodeJS.WriteStream;
  readonly #editor: Interface;
  readonly #lines: AsyncIterable<string>;
  #isClosed = false;

  /** `complete` tells what Tab makes of a line that ends where the cursor is. */
  constructor(
    input: NodeJS.ReadStream,
    output: NodeJS.WriteStream,
    complete: (line: string) => Promise<CompleterResult>,
  ) {
    this.#output = output;
    const terminal = input.isTTY === true && output.isTTY === true;
    this.#editor = createInterface({
      input,
      output,
      terminal,
      historySize: 200,
      completer: (line: string, done: (error: Error | null, result?: CompleterResult) => void) =>
        void complete(line).then((result) => done(null, result), done),
    });
    // From the start: what is typed before somebody reads must not be lost.
    this.#lines = this.#editor[Symbol.asyncIterator]();
    this.#editor.on('SIGINT', () => this.close());
    this.#editor.on('close', () => {
      this.#isClosed = true;
      // What the shell writes next begins on a line of its own.
      if (terminal) output.write('\n');
    });
  }

  /** How wide it is; undefined where it is no terminal. */
  get columns(): number | undefined {
    return this.#output.isTTY ? this.#output.columns : undefined;
  }

  set prompt(text: string) {
    this.#editor.setPrompt(text);
  }

  /** Each line the person finishes, one after the other, until the input ends or Ctrl-C is pressed. */
  async read(onLine: (line: string) => Promise<void>): Promise<void> {
    this.#draw();
    for await (const line of this.#lines) {
      await onLine(line);
      this.#draw();
    }
  }

  /** Shows text above the line that is being written, which stays as it is. */
  print(text: string): void {
    if (!this.#isEditing) {
      this.#output.write(`${text}\n`);
      return;
    }
    const { rows } = this.#editor.getCursorPos();
    moveCursor(this.#output, 0, -rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    this.#output.write(`${text}\n`);
    // The editor goes up by the rows it knows of before it draws its line again; here it begins on a new row.
    Object.assign(this.#editor, { prevRows: 0 });
    this.#draw();
  }

  close(): void {
    this.#editor.close();
  }

  get #isEditing(): boolean {
    return this.#editor.terminal && !this.#isClosed;
  }

  #draw(): void {
    if (this.#isEditing) this.#editor.prompt(true);
  }
}
