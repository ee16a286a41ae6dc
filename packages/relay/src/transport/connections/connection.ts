import { encodeFrame } from '@agent-relay/protocol';

/** A text for one or many connections: each encoding is created once, for all of them. */
export class Outgoing {
  readonly text: string;
  /** Whether it may be sent a moment later, with others. */
  readonly canWait: boolean;
  #frame: Uint8Array | undefined;

  constructor(text: string, canWait = false) {
    this.text = text;
    this.canWait = canWait;
  }

  get frame(): Uint8Array {
    this.#frame ??= encodeFrame(this.text);
    return this.#frame;
  }
}

/** Events from a connection to its session. */
export interface ConnectionEvents {
  /** One envelope's text. */
  text(text: string): void;
  /** Invalid data; `fatal` if the stream cannot be read any further. */
  invalid(error: Error, fatal: boolean): void;
  /** The peer has read what was buffered: more may be sent. */
  drained(): void;
  closed(): void;
}

/**
 * One connection over any transport. Sending never blocks and never fails: unsent data is dropped
 * when the connection is lost, and `closed` is called.
 */
export interface Connection {
  /** The transport, for logs. */
  readonly label: string;
  send(outgoing: Outgoing): void;
  /** Bytes accepted by `send` that the peer has not read yet. */
  readonly bufferedBytes: number;
  /** Pauses and resumes reading, so that a client that sends too fast has to wait. */
  pause(): void;
  resume(): void;
  /** Sends what is buffered, then closes; immediately if `hard`. */
  close(hard?: boolean): void;
}

/** Creates the session of a connection; returns its event handlers. */
export type AcceptConnection = (connection: Connection) => ConnectionEvents;
