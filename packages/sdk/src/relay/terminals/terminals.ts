import {
  type OperationInput,
  type RelayEvent,
  type RunExit,
  TERMINAL_CHUNK_BYTES,
  type TerminalState,
} from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';
import { fromBase64, toBase64 } from '../messages/base64.ts';

export interface AttachOptions extends Omit<OperationInput<'TERMINAL_ATTACH'>, 'agent' | 'call'> {
  /** Called with what is written; with `screen`, it is all that is on a terminal of this size, which starts over. */
  onOutput(bytes: Uint8Array, screen?: { columns: number; rows: number }): void;
  /** Called when a viewer joins or leaves, takes over, or holds messages. */
  onChanged?(state: TerminalState): void;
  /** Called once at the end: the program has ended, or the connection was lost. */
  onEnded?(end: { exit?: RunExit; isLost: boolean }): void;
}

/** The terminals of agents, for the owner and people. */
export class Terminals {
  readonly #session: ClientSession;
  /** If set, they are shown to the caller of this call instead. */
  readonly #for: { call?: string };

  constructor(session: ClientSession, call?: string) {
    this.#session = session;
    this.#for = call === undefined ? {} : { call };
  }

  /** Shows the terminal of an agent, until `detach`. */
  async attach(agent: string, options: AttachOptions): Promise<TerminalView> {
    const { onOutput, onChanged, onEnded, ...params } = options;
    const view = new TerminalView(this.#session, options);
    await this.#session.request(
      'TERMINAL_ATTACH',
      { agent, ...params, ...this.#for },
      view.requestId,
      (answer) => view.begin(answer),
    );
    return view;
  }
}

type Handlers = Pick<AttachOptions, 'onOutput' | 'onChanged' | 'onEnded'>;
type Viewed = Extract<RelayEvent, { type: 'terminal.output' | 'terminal.changed' | 'terminal.ended' }>;

/** A terminal as this client sees it. */
export class TerminalView {
  readonly requestId: string;
  readonly #session: ClientSession;
  readonly #handlers: Handlers;
  readonly #stops: Array<() => void> = [];
  #viewer = '';
  #state: TerminalState = { mode: 'watch', held: false, viewers: 1 };

  constructor(session: ClientSession, handlers: Handlers) {
    this.#session = session;
    this.#handlers = handlers;
    this.requestId = session.newId();
  }

  get state(): TerminalState {
    return this.#state;
  }

  /** For `attach`: from now on its events come. */
  begin(answer: TerminalState & { viewer: string }): void {
    const { viewer } = answer;
    this.#viewer = viewer;
    this.#state = stateOf(answer);
    const { events } = this.#session;
    const isOurs = (event: Viewed) => event.viewer === viewer;
    this.#stops.push(
      events.on('terminal.output', (event) => {
        if (isOurs(event)) this.#handlers.onOutput(fromBase64(event.data), event.screen);
      }),
      events.on('terminal.changed', (event) => {
        if (!isOurs(event)) return;
        this.#state = stateOf(event);
        this.#handlers.onChanged?.(this.#state);
      }),
      events.on('terminal.ended', (event) => {
        if (isOurs(event)) this.#ended({ ...(event.exit && { exit: event.exit }), isLost: false });
      }),
      events.on('disconnected', () => this.#ended({ isLost: true })),
    );
  }

  /** Types keys; only for the viewer that drives. */
  async write(keys: Uint8Array): Promise<void> {
    for (let at = 0; at < keys.length; at += TERMINAL_CHUNK_BYTES) {
      const data = toBase64(keys.subarray(at, at + TERMINAL_CHUNK_BYTES));
      await this.#session.request('TERMINAL_INPUT', { viewer: this.#viewer, data });
    }
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#session.request('TERMINAL_RESIZE', { viewer: this.#viewer, columns, rows });
  }

  /** Holds messages while this viewer is attached, or releases them. */
  async hold(held: boolean): Promise<void> {
    await this.#session.request('TERMINAL_HOLD', { viewer: this.#viewer, held });
  }

  async detach(): Promise<void> {
    this.#stop();
    await this.#session.request('CANCEL', { id: this.requestId });
  }

  #ended(end: { exit?: RunExit; isLost: boolean }): void {
    this.#stop();
    this.#handlers.onEnded?.(end);
  }

  #stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }
}

const stateOf = ({ mode, held, viewers, writer }: TerminalState): TerminalState => ({
  ...{ mode, held, viewers },
  ...(writer && { writer }),
});
