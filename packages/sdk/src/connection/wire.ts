import type { RelayError } from '@agent-relay/protocol';

/** One open connection that carries the texts of envelopes both ways, in order. */
export interface Wire {
  /** Takes a text to send. A wire may gather what is sent in one turn of the event loop into one write. */
  send(text: string): void;
  /** Sends everything it has taken, then closes. */
  close(): void;
  /** Closes now; what was not sent is dropped. */
  destroy(): void;
}

/** What a wire tells its user. */
export interface WireEvents {
  onText(text: string): void;
  /** The last call, made once, however the wire ended; the error says why, if it was not asked to. */
  onClose(error?: RelayError): void;
}

/**
 * Opens a wire, or rejects: with `DaemonNotRunning` when nobody is there. When `signal` is aborted the attempt ends
 * and nothing stays open. A rejected attempt calls no event.
 */
export type OpenWire = (events: WireEvents, signal: AbortSignal) => Promise<Wire>;
