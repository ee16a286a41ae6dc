import { isRelayError, TERMINAL_CHUNK_BYTES, type TerminalCommand } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';

/** What remote viewers need of the terminal. */
export interface ViewedTerminal {
  /** A snapshot of the screen, without a gap to the output that follows. */
  snapshot(): Promise<{ content: string; columns: number; rows: number }>;
  press(keys: Buffer): void;
  /** A viewer types instead of the person at the run's own terminal, or no longer. */
  driven(isDriven: boolean): void;
  resize(columns: number, rows: number): void;
  hold(isHeld: boolean): void;
}

/** Limit of output not yet taken by the daemon; beyond it, viewers get a new snapshot once it has caught up. */
const MOST_OPEN_BYTES = 512 * 1024;

/**
 * Shows the terminal to viewers connected through the daemon. Without viewers nothing is sent; a daemon that falls behind
 * gets the current screen once it has caught up. Where the run has a terminal of its own, keys of a viewer count only while it
 * is the writer: the person there takes that back at once, without asking the daemon.
 */
export class RemoteViewers {
  readonly #relay: Relay;
  readonly #run: string;
  readonly #terminal: ViewedTerminal;
  readonly #hasOwnTerminal: boolean;
  /** The viewer that types instead of the person at the run's own terminal. */
  #writer: string | undefined;
  #count = 0;
  #waiting: Buffer[] = [];
  #openBytes = 0;
  #isBehind = false;
  #flush: NodeJS.Immediate | undefined;

  constructor(relay: Relay, run: { id: string; terminal?: string | undefined }, terminal: ViewedTerminal) {
    this.#relay = relay;
    this.#run = run.id;
    this.#terminal = terminal;
    this.#hasOwnTerminal = run.terminal !== undefined;
    relay.on('terminal.command', (event) => {
      if (event.run === run.id) this.#obey(event.command);
    });
    // Viewers attach again on the next connection. What they held is held until the daemon says otherwise.
    relay.on('disconnected', () => {
      this.#setCount(0);
      this.#setWriter(undefined);
    });
  }

  /** The person at the run's own terminal types: from now on no viewer does, unless it takes over again. */
  reclaim(): void {
    const viewer = this.#writer;
    if (viewer === undefined) return;
    this.#setWriter(undefined);
    this.#relay.request('TERMINAL_RECLAIM', { run: this.#run, viewer }).catch(ignoreRelayErrors);
  }

  /** Output of the program. */
  write(output: Buffer): void {
    if (this.#count === 0 || this.#isBehind) return;
    this.#waiting.push(output);
    // Output of one turn of the event loop goes into one frame.
    this.#flush ??= setImmediate(() => this.#send());
  }

  /** The terminal was resized: earlier output is void. */
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
    else if (command.kind === 'input') this.#type(command);
    else if (command.kind === 'writer') this.#setWriter(command.viewer);
    else if (command.kind === 'size') this.#terminal.resize(command.columns, command.rows);
    else if (command.kind === 'hold') this.#terminal.hold(command.held);
  }

  #type({ viewer, data }: Extract<TerminalCommand, { kind: 'input' }>): void {
    if (!this.#hasOwnTerminal || viewer === this.#writer) this.#terminal.press(Buffer.from(data, 'base64'));
  }

  #setWriter(viewer: string | undefined): void {
    if (!this.#hasOwnTerminal || viewer === this.#writer) return;
    this.#writer = viewer;
    this.#terminal.driven(viewer !== undefined);
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
    // First send what is pending for the others.
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
        // The daemon is away, or considers the run over: there are no viewers any more.
        .catch(ignoreRelayErrors)
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

function ignoreRelayErrors(error: unknown): void {
  if (!isRelayError(error)) throw error;
}
