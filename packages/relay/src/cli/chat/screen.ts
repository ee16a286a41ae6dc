import {
  type CompleterResult,
  clearScreenDown,
  createInterface,
  cursorTo,
  type Interface,
  moveCursor,
} from 'node:readline';

/** A terminal with an input line at the bottom; everything else appears above it. */
export class Screen {
  readonly #output: NodeJS.WriteStream;
  readonly #editor: Interface;
  readonly #lines: AsyncIterable<string>;
  #isClosed = false;

  /** `complete` returns the completions of the line up to the cursor. */
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
    // From the start, so that nothing typed early is lost.
    this.#lines = this.#editor[Symbol.asyncIterator]();
    this.#editor.on('SIGINT', () => this.close());
    this.#editor.on('close', () => {
      this.#isClosed = true;
      // The shell's next output starts on a new line.
      if (terminal) output.write('\n');
    });
  }

  /** Its width; undefined if it is not a terminal. */
  get columns(): number | undefined {
    return this.#output.isTTY ? this.#output.columns : undefined;
  }

  set prompt(text: string) {
    this.#editor.setPrompt(text);
  }

  /** The lines the person enters, until the input ends or Ctrl-C is pressed. */
  async read(onLine: (line: string) => Promise<void>): Promise<void> {
    this.#draw();
    for await (const line of this.#lines) {
      await onLine(line);
      this.#draw();
    }
  }

  /** Shows text above the input line, which stays as it is. */
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
    // The editor moves up by the rows it knows before it redraws its line; here it starts on a new row.
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
