import type { RelayError } from '@agent-relay/protocol';

/** One open connection that carries the texts of envelopes both ways, in order. */
export interface Wire {
  /** Sends a text. A wire may batch everything sent in one turn of the event loop into one write. */
  send(text: string): void;
  /** Sends pending data, then closes. */
  close(): void;
  /** Closes now; drops pending data. */
  destroy(): void;
}

/** Events of a wire. */
export interface WireEvents {
  onText(text: string): void;
  /** Called once at the end, with the error unless the caller closed it. */
  onClose(error?: RelayError): void;
}

/**
 * Opens a wire, or rejects with `DaemonNotRunning` if nothing listens. When `signal` is aborted the attempt ends
 * and nothing stays open. A rejected attempt calls no event.
 */
export type OpenWire = (events: WireEvents, signal: AbortSignal) => Promise<Wire>;
