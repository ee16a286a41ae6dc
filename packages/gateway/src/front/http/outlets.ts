import type { ServerResponse } from 'node:http';
import { withoutNewlines } from '../../json/lines.ts';
import type { Outlet } from '../session/call.ts';

/** A client that does not read its stream loses notifications, but never answers. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
const KEEP_ALIVE_MS = 15_000;
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** An event stream on a response. */
class EventStream {
  readonly #response: ServerResponse;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(response: ServerResponse, headers: Record<string, string>) {
    this.#response = response;
    // Clients may disconnect while we write. Without a listener that would crash the process.
    response.on('error', () => response.destroy());
    response.writeHead(200, { ...STREAM_HEADERS, ...headers });
    response.flushHeaders();
    this.#keepAlive = setInterval(() => response.write(': keepalive\n\n'), KEEP_ALIVE_MS).unref();
    response.once('close', () => clearInterval(this.#keepAlive));
  }

  /** Writes a message that may be dropped if the client does not read. */
  offer(message: Buffer): void {
    if (this.#response.writableLength < MAX_UNREAD_BYTES) this.#write(message);
  }

  /** Writes the last message. Nothing may be written after it, although the stream stays open until it is read. */
  end(message: Buffer): void {
    clearInterval(this.#keepAlive);
    this.#write(message);
    this.#response.end();
  }

  #write(message: Buffer): void {
    this.#response.write(Buffer.concat([EVENT, withoutNewlines(message), BLANK]));
  }
}

const EVENT = Buffer.from('event: message\ndata: ');
const BLANK = Buffer.from('\n\n');

/**
 * The response to one POST: plain JSON if the answer comes first, an event stream if something is sent before it.
 */
export class ReplyOutlet implements Outlet {
  readonly #response: ServerResponse;
  readonly #headers: Record<string, string>;
  #stream: EventStream | undefined;

  constructor(response: ServerResponse, headers: Record<string, string> = {}) {
    this.#response = response;
    this.#headers = headers;
  }

  send(message: Buffer): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#stream ??= new EventStream(this.#response, this.#headers);
    this.#stream.offer(message);
  }

  answer(message: Buffer): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    if (this.#stream) {
      this.#stream.end(message);
      return;
    }
    const headers = {
      'content-type': 'application/json',
      'content-length': message.length,
      ...this.#headers,
    };
    this.#response.writeHead(200, headers);
    this.#response.end(message);
  }
}

/** Messages to a legacy client outside its requests, on the stream it opened with GET, if any. */
export class StandaloneOutlet implements Outlet {
  #stream: EventStream | undefined;

  get open(): boolean {
    return this.#stream !== undefined;
  }

  attach(response: ServerResponse, headers: Record<string, string>): void {
    const stream = new EventStream(response, headers);
    this.#stream = stream;
    response.once('close', () => {
      if (this.#stream === stream) this.#stream = undefined;
    });
  }

  send(message: Buffer): void {
    this.#stream?.offer(message);
  }

  answer(message: Buffer): void {
    this.send(message);
  }
}
