import { isRelayError, type Relay, type TerminalView } from '@agent-relay/sdk';
import { batch, signal } from '@preact/signals';
import type { Size } from './fitting.ts';

/** Where the agent's terminal is drawn. */
export interface Drawn {
  begin(content: Uint8Array, size: Size): void;
  add(output: Uint8Array): void;
  /** Bytes not drawn yet. */
  readonly backlog: number;
  drained(): Promise<void>;
  wantedSize(): Size;
}

/** `away`: the daemon does not answer. `ended`: the program has ended; its last screen stays. */
export type Phase = 'attaching' | 'live' | 'away' | 'ended' | 'refused';
type Mode = 'watch' | 'drive';

/** Limit of undrawn bytes. A page that draws too slowly gets the current screen instead. */
const MOST_BACKLOG = 2 * 1024 * 1024;
const RETRY_MS = 50;

/** One person at one agent's terminal, across restarts of the daemon. */
export class TerminalSession {
  readonly phase = signal<Phase>('attaching');
  readonly mode = signal<Mode>('watch');
  /** The person asked to type; keys wait for the answer. */
  readonly wantsToDrive = signal(false);
  readonly held = signal(false);
  readonly viewers = signal(1);
  /** How it ended, or why it cannot be shown. */
  readonly outcome = signal('');
  /** Someone else is typing; the person may take over. */
  readonly isBusy = signal(false);
  /** Someone took over from the person. */
  readonly wasTaken = signal(false);
  readonly #relay: Relay;
  readonly #agent: string;
  readonly #drawn: Drawn;
  readonly #stop: () => void;
  #view: TerminalView | undefined;
  /** The person holds messages; this survives a change of modes. */
  #holds = false;
  /** Number of the latest view; only the latest that sent its screen is drawn. */
  #count = 0;
  #source = 0;
  #isBehind = false;
  #isClosed = false;
  /** Serializes the requests to the daemon. */
  #asking: Promise<unknown> = Promise.resolve();

  constructor(relay: Relay, agent: string, drawn: Drawn) {
    this.#relay = relay;
    this.#agent = agent;
    this.#drawn = drawn;
    this.#stop = relay.on('connected', () => void this.#ask(() => this.#attachAgain()));
    void this.#ask(() => this.#attach('watch', false));
  }

  /** Starts typing, unless someone else is; with `takeover`, even then. */
  drive(takeover: boolean): Promise<void> {
    this.wantsToDrive.value = true;
    return this.#ask(async () => {
      try {
        await this.#attach('drive', takeover);
      } catch (error) {
        if (!isRelayError(error, 'TerminalBusy')) throw error;
        this.isBusy.value = true;
      } finally {
        this.wantsToDrive.value = false;
      }
    });
  }

  watch(): Promise<void> {
    return this.#ask(() => this.#attach('watch', false));
  }

  hold(held: boolean): Promise<void> {
    this.#holds = held;
    return this.#ask(async () => this.#view?.hold(held));
  }

  /** Queued after earlier requests. Keys of a watcher are dropped. */
  press(keys: Uint8Array): void {
    void this.#ask(() => this.#type(keys));
  }

  /** The page was resized; the terminal follows whoever types. */
  resized(): void {
    if (this.mode.value !== 'drive') return;
    const { columns, rows } = this.#drawn.wantedSize();
    void this.#ask(async () => this.#view?.resize(columns, rows));
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#view?.detach().catch(ignoreRelayErrors);
  }

  /** Attaches again after the daemon was away or the page fell behind; someone else may be typing by now. */
  async #attachAgain(): Promise<void> {
    if (this.phase.value === 'ended') return;
    const mode = this.mode.value;
    try {
      await this.#attach(mode, false);
    } catch (error) {
      if (mode === 'watch' || !isRelayError(error, 'TerminalBusy')) throw error;
      await this.#attach('watch', false);
      this.wasTaken.value = true;
    }
  }

  async #attach(mode: Mode, takeover: boolean): Promise<void> {
    if (this.#isClosed) return;
    const number = ++this.#count;
    const before = this.#view;
    this.#view = await this.#relay.terminals.attach(this.#agent, {
      ...{ mode, takeover, hold: this.#holds, ...this.#drawn.wantedSize() },
      onOutput: (bytes, screen) => {
        if (screen && number > this.#source) this.#source = number;
        if (number === this.#source) this.#output(bytes, screen);
      },
      onChanged: (state) => {
        if (number !== this.#count) return;
        const isTaken = this.mode.value === 'drive' && state.mode === 'watch';
        this.#show(state);
        if (isTaken) this.wasTaken.value = true;
      },
      onEnded: ({ exit, isLost }) => {
        if (number !== this.#count) return;
        this.#view = undefined;
        if (!isLost) this.outcome.value = exit ? `with ${exit.signal ?? `exit code ${exit.code}`}` : '';
        this.phase.value = isLost ? 'away' : 'ended';
      },
    });
    if (this.#isClosed) return void this.#view.detach().catch(ignoreRelayErrors);
    batch(() => {
      this.phase.value = 'live';
      this.isBusy.value = false;
      this.wasTaken.value = false;
      if (this.#view) this.#show(this.#view.state);
    });
    await before?.detach();
  }

  #show({ mode, held, viewers }: { mode: Mode; held: boolean; viewers: number }): void {
    batch(() => {
      this.mode.value = mode;
      this.held.value = held;
      this.viewers.value = viewers;
    });
  }

  #output(bytes: Uint8Array, screen: Size | undefined): void {
    if (this.#isBehind) return;
    if (screen) this.#drawn.begin(bytes, screen);
    else this.#drawn.add(bytes);
    if (this.#drawn.backlog <= MOST_BACKLOG) return;
    this.#isBehind = true;
    void this.#ask(async () => {
      await this.#view?.detach();
      this.#view = undefined;
      await this.#drawn.drained();
      this.#isBehind = false;
      await this.#attachAgain();
    });
  }

  /** Keys wait while the program does not read. */
  async #type(keys: Uint8Array): Promise<void> {
    while (this.mode.value === 'drive' && this.#view) {
      try {
        return await this.#view.write(keys);
      } catch (error) {
        if (!isRelayError(error, 'Overloaded')) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** Requests that fail because the daemon is away are not repeated; the page attaches again when it is back. */
  #ask(work: () => Promise<unknown>): Promise<void> {
    const asked = this.#asking.then(work).then(
      () => undefined,
      (error: unknown) => this.#failed(error),
    );
    this.#asking = asked;
    return asked;
  }

  #failed(error: unknown): void {
    if (!isRelayError(error)) throw error;
    if (this.#isClosed || this.#relay.state !== 'connected' || this.#view) return;
    this.outcome.value = [error.message, error.next].filter(Boolean).join(' ');
    this.phase.value = 'refused';
  }
}

function ignoreRelayErrors(error: unknown): void {
  if (!isRelayError(error)) throw error;
}
