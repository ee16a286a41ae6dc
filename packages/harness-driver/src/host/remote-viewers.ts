import { isRelayError, TERMINAL_CHUNK_BYTES, type TerminalCommand } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';

/** The terminal, as viewers elsewhere need it. */
export interface ViewedTerminal {
  /** Everything on the screen, with nothing missing between this and what is written next. */
  snapshot(): Promise<{ content: string; columns: number; rows: number }>;
  press(keys: Buffer): void;
  resize(columns: number, rows: number): void;
  hold(isHeld: boolean): void;
}

/** Output that the daemon has not taken yet; with more, viewers get the screen when it has. */
const MOST_OPEN_BYTES = 512 * 1024;

/**
 * Shows the terminal to those who look at it through the daemon. While nobody does, nothing is sent; a daemon that does not
 * keep up with the output gets what is on the screen once it does.
 */
export class RemoteViewers {
  readonly #relay: Relay;
  readonly #run: string;
  readonly #terminal: ViewedTerminal;
  #count = 0;
  #waiting: Buffer[] = [];
  #openBytes = 0;
  #isBehind = false;
  #flush: NodeJS.Immediate | undefined;

  constructor(relay: Relay, run: string, terminal: ViewedTerminal) {
    this.#relay = relay;
    this.#run = run;
    this.#terminal = terminal;
    relay.on('terminal.command', (event) => {
      if (event.run === run) this.#obey(event.command);
    });
    // Whoever still looks says so on the next connection.
    relay.on('disconnected', () => {
      this.#setCount(0);
      terminal.hold(false);
    });
  }

  /** Output of the program. */
  write(output: Buffer): void {
    if (this.#count === 0 || this.#isBehind) return;
    this.#waiting.push(output);
    // What comes in one turn of the event loop goes in one frame.
    this.#flush ??= setImmediate(() => this.#send());
  }

  /** The terminal has another size: what was drawn for the old one is void. */
  resized(): void {
    if (this.#count > 0) void this.#show();
  }

  close(): void {
    clearImmediate(this.#flush);
    this.#send();
    this.#setCount(0);
  }

  #obey(command: TerminalCommand): void {
    if (command.kind === 'viewers') this.#setCount(command.count);
    else if (command.kind === 'screen') void this.#show(command.viewer);
    else if (command.kind === 'input') this.#terminal.press(Buffer.from(command.data, 'base64'));
    else if (command.kind === 'size') this.#terminal.resize(command.columns, command.rows);
    else if (command.kind === 'hold') this.#terminal.hold(command.held);
  }

  #setCount(count: number): void {
    this.#count = count;
    if (count > 0) return;
    this.#waiting = [];
    this.#isBehind = false;
  }

  #send(): void {
    clearImmediate(this.#flush);
    this.#flush = undefined;
    const output = Buffer.concat(this.#waiting.splice(0));
    if (output.length > 0 && this.#count > 0) this.#transmit(output, {});
    if (this.#openBytes > MOST_OPEN_BYTES) this.#isBehind = true;
  }

  /** `viewer`: for one of them, else for all. */
  async #show(viewer?: string): Promise<void> {
    const { content, columns, rows } = await this.#terminal.snapshot();
    // First what is on its way to the others.
    this.#send();
    const whom = viewer === undefined ? {} : { viewer };
    this.#transmit(Buffer.from(content), whom, { columns, rows });
  }

  #transmit(bytes: Buffer, whom: { viewer?: string }, screen?: { columns: number; rows: number }): void {
    for (let at = 0; at === 0 || at < bytes.length; at += TERMINAL_CHUNK_BYTES) {
      const piece = bytes.subarray(at, at + TERMINAL_CHUNK_BYTES);
      const first = at === 0 && screen ? { screen } : {};
      this.#openBytes += piece.length;
      this.#relay
        .request('TERMINAL_OUTPUT', { run: this.#run, data: piece.toString('base64'), ...whom, ...first })
        .catch((error) => {
          // The daemon is away, or the run is over for it: nobody looks any more.
          if (!isRelayError(error)) throw error;
        })
        .finally(() => this.#taken(piece.length));
    }
  }

  #taken(bytes: number): void {
    this.#openBytes -= bytes;
    if (!this.#isBehind || this.#openBytes > 0 || this.#count === 0) return;
    this.#isBehind = false;
    void this.#show();
  }
}
