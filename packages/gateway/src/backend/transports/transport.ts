/** Callbacks of a transport, set before `start`. */
export interface TransportEvents {
  message(bytes: Buffer): void;
  /** Called once when the connection ends, for any reason. */
  closed(reason: string): void;
  /** A message was too large and dropped. Its head and tail show which answer it was. */
  oversized(head: Buffer, tail: Buffer): void;
}

export interface SendOptions {
  /** Ends the exchange early, on transports with one stream per request. */
  signal?: AbortSignal;
  /** Extra headers, on transports that have headers. */
  headers?: Record<string, string>;
  /** The stream for the answer has ended. */
  onStreamEnd?: () => void;
}

/**
 * A connection to one MCP server. Each `send` is one JSON-RPC message. It throws NotWritten if the peer certainly did not
 * get the message, so that it may be sent again. If the peer is slow, it returns a promise that resolves once the peer
 * has read the message.
 */
export interface BackendTransport {
  readonly kind: 'stdio' | 'ws' | 'http' | 'sse' | 'custom';
  /** Bytes sent that the peer has not read yet. */
  readonly backlog: number;
  start(): Promise<void>;
  send(message: Buffer, options?: SendOptions): void | Promise<void>;
  /** Sets the negotiated protocol version. */
  negotiated?(version: string): void;
  close(): Promise<void>;
}

/** An open connection to a server of the 2025 revisions. Each message is one JSON-RPC message. */
export interface CustomChannel {
  /** Like that of a transport, if messages can queue up. */
  readonly backlog?: number;
  /** Throws NotWritten like a transport, if it can tell. */
  send(message: Buffer): void;
  close(): Promise<void>;
}

/** Connects to such a server. Calls `closed` when the connection has ended. */
export type OpenCustomChannel = (events: TransportEvents) => Promise<CustomChannel>;

/** The peer did not get the message and will not get the next one: reconnect. */
export class NotWritten extends Error {}

/** The server answered with an HTTP error status. */
export class HttpRefused extends Error {
  readonly status: number;
  constructor(status: number, reason: string) {
    super(`HTTP ${status}: ${reason}`);
    this.status = status;
  }
}
