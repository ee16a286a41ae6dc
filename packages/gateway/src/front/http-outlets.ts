import type { ServerResponse } from 'node:http';
import { withoutNewlines } from '../json/lines.ts';
import type { Outlet } from './call.ts';

/** A client that does not read its stream loses notifications, never answers. */
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

  constructor(response: ServerResponse, headers: Record<string, string>) {
    this.#response = response;
    response.writeHead(200, { ...STREAM_HEADERS, ...headers });
    response.flushHeaders();
    const timer = setInterval(() => response.write(': keepalive\n\n'), KEEP_ALIVE_MS);
    timer.unref();
    response.once('close', () => clearInterval(timer));
  }

  /** Writes what may be lost when the client does not read. */
  offer(message: Buffer): void {
    if (this.#response.writableLength < MAX_UNREAD_BYTES) this.write(message);
  }

  write(message: Buffer): void {
    this.#response.write(Buffer.concat([EVENT, withoutNewlines(message), BLANK]));
  }
}

const EVENT = Buffer.from('event: message\ndata: ');
const BLANK = Buffer.from('\n\n');

/**
 * The answer to one posted request: plain JSON if the answer comes first, an event stream as soon as something is to
 * be said before it.
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
      this.#stream.write(message);
      this.#response.end();
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

/** What a client of the older eras is told outside of its requests: the stream it opened with GET, if it has. */
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
