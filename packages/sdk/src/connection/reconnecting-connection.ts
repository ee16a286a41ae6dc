import type { Envelope, HelloPayload, RelayError, WelcomePayload } from '@agent-relay/protocol';
import { backoffDelay, type ReconnectOptions } from './backoff.ts';
import { ClientConnection } from './client-connection.ts';
import type { OpenWire } from './wire.ts';

export type ConnectionState = 'connecting' | 'connected' | 'reconnecting' | 'closed';

export interface ReconnectingConnectionOptions {
  open: OpenWire;
  /** False: never reconnect. */
  reconnect: ReconnectOptions | false;
  timeoutMs: number;
  /** Called for each connection. */
  hello(): Promise<HelloPayload>;
  onUp(welcome: WelcomePayload): void;
  onEnvelope(envelope: Envelope): void;
  /** An established connection was lost. */
  onLost(error: RelayError): void;
  onRetry(retry: { attempt: number; delayMs: number }): void;
  /** No more attempts; called once, unless `close` was called. */
  onFailed(error: RelayError): void;
}

/** A connection that reconnects until it is closed or permanently refused. */
export class ReconnectingConnection {
  readonly #options: ReconnectingConnectionOptions;
  #state: ConnectionState = 'connecting';
  #connection: ClientConnection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #everUp = false;
  /** Failed attempts in a row; WELCOME alone does not reset it, or a daemon that always disconnects right away
   *  would be tried again without a pause. */
  #failures = 0;

  constructor(options: ReconnectingConnectionOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Started by the caller, when it is ready for events. */
  start(): void {
    const { open, timeoutMs, hello } = this.#options;
    this.#connection = new ClientConnection({
      open,
      hello,
      timeoutMs,
      onWelcome: (welcome) => {
        this.#state = 'connected';
        this.#everUp = true;
        this.#options.onUp(welcome);
      },
      onEnvelope: (envelope) => {
        this.#failures = 0;
        this.#options.onEnvelope(envelope);
      },
      onDown: (error) => this.#down(error),
    });
  }

  /** Only while connected. */
  send(text: string): void {
    this.#connection?.send(text);
  }

  /** Closes it after sending pending data. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#state = 'closed';
    await this.#connection?.close();
  }

  #down(error: RelayError): void {
    const { reconnect, onFailed, onLost, onRetry } = this.#options;
    const wasUp = this.#state === 'connected';
    this.#connection = undefined;
    this.#failures++;
    const again =
      reconnect !== false &&
      error.retryable &&
      (this.#everUp || reconnect.initial === true) &&
      this.#failures <= (reconnect.attempts ?? Number.POSITIVE_INFINITY);
    this.#state = again ? (this.#everUp ? 'reconnecting' : 'connecting') : 'closed';
    if (wasUp) onLost(error);
    if (!again) {
      onFailed(error);
      return;
    }
    // A listener of `onLost` may have closed the client.
    if (this.state === 'closed') return;
    const delayMs = backoffDelay(this.#failures, reconnect);
    this.#timer = setTimeout(() => this.start(), delayMs);
    onRetry({ attempt: this.#failures, delayMs });
  }
}
