/** What the other end of a transport is told. Every callback is set before `start`. */
export interface TransportEvents {
  message(bytes: Buffer): void;
  /** Called once, when the connection is over for any reason. */
  closed(reason: string): void;
  /** A message was too large and was dropped; the ends let the caller find which answer it was. */
  oversized(head: Buffer, tail: Buffer): void;
}

export interface SendOptions {
  /** Ends the exchange early, where the transport has one stream for each request. */
  signal?: AbortSignal;
  /** Extra headers, where the transport has headers. */
  headers?: Record<string, string>;
  /** The stream that would have carried the answer is over. */
  onStreamEnd?: () => void;
}

/**
 * A way to one MCP server. One `send` is one JSON-RPC message.
 * `send` throws NotWritten when the peer certainly did not get the message, so that it may be sent again. From a peer
 * that does not keep up it returns a promise, which resolves when the peer has taken the message.
 */
export interface BackendTransport {
  readonly kind: 'stdio' | 'ws' | 'http' | 'sse' | 'custom';
  /** Bytes that were sent and that the peer has not taken yet. */
  readonly backlog: number;
  start(): Promise<void>;
  send(message: Buffer, options?: SendOptions): void | Promise<void>;
  /** Tells the transport which protocol version was agreed on. */
  negotiated?(version: string): void;
  close(): Promise<void>;
}

/** An open way to a server of the 2025 revisions; each message is one of JSON-RPC. */
export interface CustomChannel {
  /** As of a transport, where messages can wait. */
  readonly backlog?: number;
  /** Throws NotWritten like a transport, if it knows. */
  send(message: Buffer): void;
  close(): Promise<void>;
}

/** Connects to such a server. `closed` is called once it has ended. */
export type OpenCustomChannel = (events: TransportEvents) => Promise<CustomChannel>;

/** The peer did not act on the message, and will not on the next one: connect again. */
export class NotWritten extends Error {}

/** The server answered with an HTTP status that is no answer. */
export class HttpRefused extends Error {
  readonly status: number;
  constructor(status: number, reason: string) {
    super(`HTTP ${status}: ${reason}`);
    this.status = status;
  }
}
