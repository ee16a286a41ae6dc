import { setTimeout } from 'node:timers/promises';
import { isRelayError, RelayError, type RunExit, type ViewMode } from '@agent-relay/protocol';
import type { Relay, TerminalView } from '@agent-relay/sdk/node';
import { PersonTerminal } from '../terminal/person-terminal.ts';
import { Picture } from './picture.ts';
import { type ViewerCommand, ViewerKeys } from './viewer-keys.ts';

export interface AttachedOptions {
  relay: Relay;
  agent: string;
  mode: ViewMode;
  /** Type though somebody else does. */
  takeover: boolean;
}

export type Detached = { how: 'detached' } | { how: 'ended'; exit?: RunExit };

/** Shows an agent's terminal in the person's terminal, until the person leaves or the program ends. */
export async function attachTerminal(options: AttachedOptions): Promise<Detached> {
  const terminal = new PersonTerminal();
  if (!terminal.isTerminal)
    throw new RelayError('InvalidRequest', 'Attaching needs a terminal, and this is none.', {
      next: 'Run it in a terminal, without redirecting its input or output.',
    });
  const session = new AttachedSession(terminal, options);
  return await session.run();
}

const RETRY_MS = 50;

class AttachedSession {
  readonly #terminal: PersonTerminal;
  readonly #options: AttachedOptions;
  readonly #picture: Picture;
  readonly #keys = new ViewerKeys();
  readonly #done = Promise.withResolvers<Detached>();
  #view: TerminalView | undefined;
  #mode: ViewMode;
  /** Keys are sent one after the other, in the order they were pressed. */
  #sending: Promise<unknown> = Promise.resolve();
  /** What came before the terminal was taken over. */
  #early: Array<() => void> | undefined = [];

  constructor(terminal: PersonTerminal, options: AttachedOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.#mode = options.mode;
    const write = (text: string | Uint8Array) =>
      terminal.write(typeof text === 'string' ? Buffer.from(text) : text);
    this.#picture = new Picture(terminal.size, write, () => this.#caption());
  }

  async run(): Promise<Detached> {
    const { relay } = this.#options;
    // Before the terminal is changed: what is refused is told on a terminal as it was.
    await this.#attach(this.#options.takeover);
    relay.on('closed', (error) => error && this.#done.reject(error));
    relay.on('connected', () => this.#run(() => this.#attach(this.#mode === 'drive')));
    this.#terminal.takeOver();
    for (const show of this.#early ?? []) show();
    this.#early = undefined;
    const putBack = () => {
      this.#picture.clear();
      this.#terminal.restore('');
    };
    process.once('exit', putBack);
    this.#terminal.onKeys((keys) => this.#pressed(keys));
    this.#terminal.onResize((size) => {
      this.#picture.resized(size);
      this.#run(async () => this.#view?.resize(size.columns, size.rows));
    });
    this.#terminal.onGone(() => this.#done.resolve({ how: 'detached' }));
    for (const signal of ['SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => this.#done.resolve({ how: 'detached' }));
    try {
      return await this.#done.promise;
    } finally {
      this.#terminal.close();
      putBack();
      process.off('exit', putBack);
      if (relay.state === 'connected') await this.#view?.detach().catch(ignoreRelayErrors);
    }
  }

  async #attach(takeover: boolean): Promise<void> {
    const { relay, agent } = this.#options;
    const mode = this.#mode;
    this.#view = await relay.terminals.attach(agent, {
      ...{ mode, takeover, ...this.#terminal.size },
      onOutput: (bytes, screen) => {
        const show = () => (screen ? this.#picture.begin(bytes, screen) : this.#picture.add(bytes));
        if (this.#early) this.#early.push(show);
        else show();
      },
      onChanged: (state) => {
        this.#mode = state.mode;
        this.#picture.redraw();
      },
      onEnded: ({ exit, isLost }) => {
        this.#view = undefined;
        if (!isLost) this.#done.resolve({ how: 'ended', ...(exit && { exit }) });
      },
    });
  }

  #pressed(keys: Buffer): void {
    for (const part of this.#keys.read(keys)) {
      if (typeof part === 'string') this.#obey(part);
      else this.#run(() => this.#type(part));
    }
  }

  /** Keys of somebody who only watches go nowhere. A terminal whose program does not read takes no keys; they wait. */
  async #type(keys: Buffer): Promise<void> {
    for (let isTaken = this.#mode === 'watch'; !isTaken; ) {
      try {
        await this.#view?.write(keys);
        isTaken = true;
      } catch (error) {
        if (!isRelayError(error, 'Overloaded')) throw error;
        await setTimeout(RETRY_MS);
      }
    }
  }

  #obey(command: ViewerCommand): void {
    if (command === 'detach') this.#done.resolve({ how: 'detached' });
    else if (command === 'hold') this.#run(async () => this.#view?.hold(!this.#view.state.held));
    else this.#run(() => this.#takeOver());
  }

  async #takeOver(): Promise<void> {
    if (this.#mode === 'drive') return;
    await this.#view?.detach();
    this.#mode = 'drive';
    await this.#attach(true);
  }

  /** What a daemon that is away does not hear is not repeated; it is attached to again when it is back. */
  #run(work: () => Promise<unknown>): void {
    this.#sending = this.#sending.then(work).catch((error) => {
      const isFinal = !isRelayError(error) || ['NotRunning', 'AgentNotFound'].includes(error.code);
      if (isFinal && this.#view === undefined) this.#done.reject(error);
    });
  }

  #caption(): string {
    const { agent } = this.#options;
    const held = this.#view?.state.held ? ' · messages held' : '';
    return ` ${agent} · ${this.#mode === 'drive' ? 'driving' : 'watching'}${held} · Ctrl-] d detaches `;
  }
}

function ignoreRelayErrors(error: unknown): void {
  if (!isRelayError(error)) throw error;
}
