import { encodeFrame } from '@agent-relay/protocol';

/** A text on its way to one or many connections: each form of it is made once, for all of them. */
export class Outgoing {
  readonly text: string;
  #frame: Uint8Array | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get frame(): Uint8Array {
    this.#frame ??= encodeFrame(this.text);
    return this.#frame;
  }
}

/** What a session hears from its connection. */
export interface ConnectionEvents {
  /** One envelope's text. */
  text(text: string): void;
  /** Something that was not a frame; `fatal` when the stream cannot be read any further. */
  invalid(error: Error, fatal: boolean): void;
  /** The peer took what was buffered: more may be sent. */
  drained(): void;
  closed(): void;
}

/**
 * One connection, whatever carries it. Sending never blocks and never fails: what cannot be sent any more is dropped
 * with the connection, and `closed` tells.
 */
export interface Connection {
  /** For logs: where it came in. */
  readonly label: string;
  send(outgoing: Outgoing): void;
  /** Bytes accepted by `send` that the peer has not taken yet. */
  readonly bufferedBytes: number;
  /** Stops and restarts reading, so that a client that asks faster than it is answered waits. */
  pause(): void;
  resume(): void;
  /** Sends what is buffered, then closes; at once when `hard`. */
  close(hard?: boolean): void;
}

/** The connection's way of asking for a session: it gets the session's ears. */
export type AcceptConnection = (connection: Connection) => ConnectionEvents;
