import { setTimeout } from 'node:timers/promises';
import {
  type ErrorCode,
  isRelayError,
  RelayError,
  type RunExit,
  type TerminalState,
  type ViewMode,
} from '@agent-relay/protocol';
import type { Relay, TerminalView } from '@agent-relay/sdk/node';
import { PersonTerminal } from '../terminal/person-terminal.ts';
import { isTyping } from '../terminal/typing.ts';
import { captionOf } from './caption.ts';
import { DRIVING, HELD, KEYS, RELEASED, STILL_HELD, taken, watching } from './notices.ts';
import { Picture } from './picture.ts';
import { type ViewerCommand, ViewerKeys } from './viewer-keys.ts';

export interface AttachedOptions {
  relay: Relay;
  agent: string;
  /** Without a choice: drive, unless someone else does. */
  mode: ViewMode | undefined;
  /** Take over from someone else who is typing. */
  takeover: boolean;
}

export type Detached = { how: 'detached' } | { how: 'ended'; exit?: RunExit };

/** Shows an agent's terminal in the person's terminal, until the person leaves or the program ends. */
export async function attachTerminal(options: AttachedOptions): Promise<Detached> {
  const terminal = new PersonTerminal();
  if (!terminal.isTerminal)
    throw new RelayError('InvalidRequest', 'agent-relay attach needs a terminal.', {
      next: 'Run it in a terminal, without redirecting its input or output.',
    });
  const session = new AttachedSession(terminal, options);
  return await session.run();
}

const RETRY_MS = 50;
/** There is nothing to attach to any more. */
const GONE: ReadonlySet<ErrorCode> = new Set(['NotRunning', 'AgentNotFound']);

class AttachedSession {
  readonly #terminal: PersonTerminal;
  readonly #options: AttachedOptions;
  readonly #picture: Picture;
  readonly #keys = new ViewerKeys();
  readonly #done = Promise.withResolvers<Detached>();
  #view: TerminalView | undefined;
  #mode: ViewMode;
  /** The person holds messages: also after a reconnect. */
  #holds = false;
  /** The number of the latest view, and of the one that is drawn: the latest that has sent its screen. */
  #count = 0;
  #source = 0;
  /** Keys are sent one at a time, in order. */
  #sending: Promise<unknown> = Promise.resolve();
  /** Output received before the terminal was taken over. */
  #early: Array<() => void> | undefined = [];

  constructor(terminal: PersonTerminal, options: AttachedOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.#mode = options.mode ?? 'drive';
    const write = (text: string | Uint8Array) =>
      terminal.write(typeof text === 'string' ? Buffer.from(text) : text);
    this.#picture = new Picture(terminal.size, write, (columns) => this.#caption(columns));
  }

  async run(): Promise<Detached> {
    const { relay } = this.#options;
    // Before the terminal is changed, so that a refusal is printed normally.
    if (this.#options.mode === undefined && !this.#options.takeover) await this.#attachIfFree();
    else await this.#attach(this.#options.takeover);
    relay.on('closed', (error) => error && this.#done.reject(error));
    relay.on('connected', () => this.#run(() => this.#attachAgain()));
    this.#terminal.takeOver();
    for (const show of this.#early ?? []) show();
    this.#early = undefined;
    this.#sayMode();
    const putBack = () => {
      this.#picture.close();
      this.#terminal.restore('');
    };
    process.once('exit', putBack);
    this.#terminal.onKeys((keys) => this.#pressed(keys));
    this.#terminal.onResize((size) => {
      this.#picture.resized(size);
      this.#run(async () => this.#view?.resize(size.columns, size.rows));
    });
    this.#terminal.onGone(() => this.#done.resolve({ how: 'detached' }));
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const)
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

  /** Drives if nobody else does, else watches. */
  async #attachIfFree(): Promise<void> {
    try {
      await this.#attach(false);
    } catch (error) {
      if (this.#mode === 'watch' || !isRelayError(error, 'TerminalBusy')) throw error;
      this.#mode = 'watch';
      await this.#attach(false);
    }
  }

  /** After the daemon was away: somebody else may be typing by now. */
  async #attachAgain(): Promise<void> {
    const before = this.#mode;
    try {
      await this.#attachIfFree();
    } catch (error) {
      if (isRelayError(error) && GONE.has(error.code)) this.#done.reject(error);
      throw error;
    }
    if (this.#mode !== before) this.#picture.say(taken(this.#view?.state.writer));
  }

  async #attach(takeover: boolean): Promise<void> {
    const { relay, agent } = this.#options;
    const mode = this.#mode;
    const number = ++this.#count;
    this.#view = await relay.terminals.attach(agent, {
      ...{ mode, takeover, hold: this.#holds, ...this.#terminal.size },
      onOutput: (bytes, screen) => {
        if (screen && number > this.#source) this.#source = number;
        if (number !== this.#source) return;
        const show = () => (screen ? this.#picture.begin(bytes, screen) : this.#picture.add(bytes));
        if (this.#early) this.#early.push(show);
        else show();
      },
      onChanged: (state) => {
        if (number === this.#count) this.#changed(state);
      },
      onEnded: ({ exit, isLost }) => {
        if (number !== this.#count) return;
        this.#view = undefined;
        if (!isLost) this.#done.resolve({ how: 'ended', ...(exit && { exit }) });
      },
    });
  }

  #changed({ mode, writer }: TerminalState): void {
    const wasTaken = this.#mode === 'drive' && mode === 'watch';
    this.#mode = mode;
    if (wasTaken) this.#picture.say(taken(writer));
    this.#picture.redraw();
  }

  /** Shows who types and how to detach. */
  #sayMode(): void {
    this.#picture.say(this.#mode === 'drive' ? DRIVING : watching(this.#view?.state.writer));
  }

  #pressed(keys: Buffer): void {
    for (const part of this.#keys.read(keys)) {
      if (typeof part === 'string') this.#obey(part);
      else this.#run(() => this.#type(part));
    }
  }

  /** Keys of a watcher are dropped. Keys wait while the program does not read. */
  async #type(keys: Buffer): Promise<void> {
    if (this.#mode === 'watch' && isTyping(keys)) this.#sayMode();
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
    else if (command === 'keys') this.#picture.say(KEYS);
    else if (command === 'hold') this.#run(() => this.#hold());
    else this.#run(() => this.#takeOver());
  }

  async #takeOver(): Promise<void> {
    if (this.#mode === 'drive') return this.#sayMode();
    const before = this.#view;
    this.#mode = 'drive';
    // Only then, so that what is held stays held.
    await this.#attach(true);
    await before?.detach();
    this.#sayMode();
  }

  async #hold(): Promise<void> {
    this.#holds = !this.#holds;
    await this.#view?.hold(this.#holds);
    const isHeld = this.#view?.state.held ?? this.#holds;
    this.#picture.say(this.#holds ? HELD : isHeld ? STILL_HELD : RELEASED);
  }

  /**
   * Requests that fail because the daemon was away are not repeated; we attach again when it is back. One that was on its way then
   * names a viewer that the daemon does not know any more.
   */
  #run(work: () => Promise<unknown>): void {
    this.#sending = this.#sending.then(work).catch((error) => {
      if (!isRelayError(error)) this.#done.reject(error);
    });
  }

  #caption(columns: number): string {
    const { agent } = this.#options;
    const { held = this.#holds, writer } = this.#view?.state ?? {};
    return captionOf({ agent, mode: this.#mode, writer, isHeld: held }, columns);
  }
}

function ignoreRelayErrors(error: unknown): void {
  if (!isRelayError(error)) throw error;
}
