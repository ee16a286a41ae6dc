import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { RemoteEndpoint } from '../../config/backend-config.ts';
import { type BackendTransport, NotWritten, type TransportEvents } from './transport.ts';

const PING_MS = 30_000;
/** A peer with this much unread is slow. */
const UNREAD_BYTES = 64 * 1024;

/** One JSON-RPC message per frame. A peer that misses two pings in a row is considered gone. */
export class WebSocketTransport implements BackendTransport {
  readonly kind = 'ws';
  readonly #endpoint: RemoteEndpoint;
  readonly #maxMessageBytes: number;
  readonly #events: TransportEvents;
  #socket: WebSocket | undefined;
  #ping: NodeJS.Timeout | undefined;
  #alive = true;

  constructor(endpoint: RemoteEndpoint, maxMessageBytes: number, events: TransportEvents) {
    this.#endpoint = endpoint;
    this.#maxMessageBytes = maxMessageBytes;
    this.#events = events;
  }

  get backlog(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  async start(): Promise<void> {
    const { url, headers, subprotocol } = this.#endpoint;
    const socket = new WebSocket(url, subprotocol === undefined ? [] : [subprotocol], {
      headers,
      maxPayload: this.#maxMessageBytes,
      handshakeTimeout: 10_000,
    });
    this.#socket = socket;
    let failure = 'the connection was closed';
    socket.on('error', (error) => {
      failure = error.message || (error as NodeJS.ErrnoException).code || failure;
    });
    socket.on('message', (data) => this.#events.message(toBuffer(data)));
    socket.on('pong', () => (this.#alive = true));
    try {
      await once(socket, 'open');
    } catch (error) {
      socket.terminate();
      throw error;
    }
    socket.once('close', (code) => {
      clearInterval(this.#ping);
      this.#events.closed(code === 1006 ? failure : `${failure} (code ${code})`);
    });
    this.#ping = setInterval(() => {
      if (!this.#alive) return socket.terminate();
      this.#alive = false;
      socket.ping();
    }, PING_MS);
    this.#ping.unref();
  }

  send(message: Buffer): void | Promise<void> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) throw new NotWritten('the socket is not open');
    if (socket.bufferedAmount < UNREAD_BYTES) return socket.send(message, { binary: false });
    return new Promise((resolve, reject) => {
      socket.send(message, { binary: false }, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    if (!socket || socket.readyState === WebSocket.CLOSED) return;
    const closed = once(socket, 'close');
    socket.close(1000);
    const timer = setTimeout(() => socket.terminate(), 500);
    await closed;
    clearTimeout(timer);
  }
}

const toBuffer = (data: Buffer | ArrayBuffer | Buffer[]): Buffer =>
  Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
