import {
  decodeEnvelope,
  type Envelope,
  type ErrorPayload,
  encodeEnvelope,
  type HelloPayload,
  isRelayError,
  PROTOCOL,
  RelayError,
  type WelcomePayload,
} from '@agent-relay/protocol';
import type { OpenWire, Wire } from './wire.ts';

/** After this many heartbeats without data from the daemon, the connection is considered half-open. */
const SILENT_HEARTBEATS = 3;

export interface ClientConnectionOptions {
  open: OpenWire;
  hello(): Promise<HelloPayload>;
  /** How long opening and WELCOME together may take. */
  timeoutMs: number;
  onWelcome(welcome: WelcomePayload): void;
  /** Everything after WELCOME except connection control; throws `MalformedFrame` if it is invalid. */
  onEnvelope(envelope: Envelope): void;
  /** Called once at the end, whether the connection was lost or never opened. */
  onDown(error: RelayError): void;
}

/** One connection, from HELLO to its end. */
export class ClientConnection {
  readonly #options: ClientConnectionOptions;
  readonly #attempt = new AbortController();
  #wire: Wire | undefined;
  #welcomed = false;
  /** The reason the daemon gave before it closed the connection. */
  #farewell: RelayError | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silence = 0;
  #down = false;
  readonly #closed = Promise.withResolvers<void>();

  constructor(options: ClientConnectionOptions) {
    this.#options = options;
    this.#timer = setTimeout(
      () => this.#drop(new RelayError('Timeout', `No WELCOME arrived within ${options.timeoutMs} ms.`)),
      options.timeoutMs,
    );
    void this.#open();
  }

  send(text: string): void {
    this.#wire?.send(text);
  }

  /** Sends pending data, then closes; resolves when the connection is closed. */
  close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#down = true;
    if (this.#wire === undefined) {
      this.#attempt.abort();
      return Promise.resolve();
    }
    // A peer that does not answer must not delay closing.
    this.#timer = setTimeout(() => this.#wire?.destroy(), 1000);
    this.#wire.close();
    return this.#closed.promise;
  }

  async #open(): Promise<void> {
    const { open, hello } = this.#options;
    try {
      const wire = await open(
        { onText: (text) => this.#receive(text), onClose: (error) => this.#closedBy(error) },
        this.#attempt.signal,
      );
      this.#wire = wire;
      const payload = this.#down ? undefined : await hello();
      if (payload === undefined || this.#down) wire.destroy();
      else wire.send(encodeEnvelope('HELLO', 'hello', Date.now(), payload));
    } catch (error) {
      this.#drop(
        isRelayError(error) ? error : new RelayError('Connection', messageOf(error), { cause: error }),
      );
    }
  }

  #receive(text: string): void {
    if (this.#down) return;
    this.#silence = 0;
    try {
      const envelope = decodeEnvelope(text);
      if (typeof envelope.payload !== 'object' || envelope.payload === null) throw notOurProtocol();
      this.#dispatch(envelope, envelope.payload);
    } catch (error) {
      if (!isRelayError(error)) throw error;
      this.#drop(error.code === 'MalformedFrame' ? notOurProtocol(error) : error);
    }
  }

  #dispatch(envelope: Envelope, payload: object): void {
    if (envelope.type === 'PING') this.send(encodeEnvelope('PONG', envelope.id, Date.now(), {}));
    else if (!this.#welcomed) this.#welcome(envelope.type, payload);
    else if (envelope.type === 'ERROR' && !('id' in payload)) {
      this.#farewell = RelayError.fromPayload(payload as ErrorPayload);
    } else this.#options.onEnvelope(envelope);
  }

  #welcome(type: string, payload: object): void {
    if (type === 'ERROR') throw RelayError.fromPayload(payload as ErrorPayload);
    const welcome = payload as WelcomePayload;
    if (type !== 'WELCOME' || !(welcome.heartbeatMs > 0)) throw notOurProtocol();
    if (welcome.protocol < PROTOCOL.min || welcome.protocol > PROTOCOL.max) {
      throw new RelayError(
        'VersionMismatch',
        `The daemon chose protocol ${welcome.protocol}, which this client does not support.`,
      );
    }
    this.#welcomed = true;
    clearTimeout(this.#timer);
    this.#timer = setInterval(() => this.#listenForSilence(welcome.heartbeatMs), welcome.heartbeatMs);
    this.#options.onWelcome(welcome);
  }

  /** Counted in heartbeats, not by the clock: after sleep, a machine must not mistake its own absence for the daemon's. */
  #listenForSilence(heartbeatMs: number): void {
    if (this.#silence++ < SILENT_HEARTBEATS) return;
    this.#drop(
      new RelayError('Connection', `The daemon was silent for ${SILENT_HEARTBEATS * heartbeatMs} ms.`),
    );
  }

  #closedBy(error: RelayError | undefined): void {
    this.#drop(this.#farewell ?? error ?? new RelayError('Connection', 'The daemon closed the connection.'));
    clearTimeout(this.#timer);
    this.#closed.resolve();
  }

  #drop(error: RelayError): void {
    if (this.#down) return;
    this.#down = true;
    clearTimeout(this.#timer);
    this.#attempt.abort();
    this.#wire?.destroy();
    this.#options.onDown(error);
  }
}

const notOurProtocol = (cause?: unknown): RelayError =>
  new RelayError('Connection', 'The program at this address is not an agent-relay daemon.', {
    cause,
  });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
