import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import {
  decodeEnvelope,
  type Envelope,
  type ErrorPayload,
  encodeEnvelope,
  encodeFrame,
  FrameParser,
  type HelloPayload,
  type Message,
  type OperationInput,
  type OperationName,
  type OperationResult,
  RelayError,
  type WelcomePayload,
} from '@agent-relay/protocol';
import WebSocket from 'ws';

const DEADLINE_MS = 30_000;
const MAX_RECEIVED_BYTES = 64 * 1024 * 1024;

/** The transport of a raw client. */
interface Line {
  send(text: string): void;
  bytes(bytes: Uint8Array): void;
  pause(): void;
  resume(): void;
  end(): void;
  destroy(): void;
}

interface Waiter {
  match: (envelope: Envelope) => boolean;
  found: (envelope: Envelope) => void;
}

/** A client that sends exactly what a test tells it to, and answers heartbeats. */
export class RawClient implements Disposable {
  readonly #line: Line;
  readonly #waiters = new Set<Waiter>();
  #requests = 0;
  /** Everything received and not yet taken by `next`, oldest first. */
  readonly received: Envelope[] = [];
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  isClosed = false;
  /** Otherwise a test that takes long would lose the clients that it only keeps connected. */
  answersHeartbeats = true;

  constructor(line: Line, closed: Promise<unknown>) {
    this.#line = line;
    this.closed = closed.then(() => {
      this.isClosed = true;
    });
  }

  /** For the transport: one envelope arrived. */
  take(text: string): void {
    const envelope = decodeEnvelope(text);
    if (envelope.type === 'PING' && this.answersHeartbeats) {
      this.send('PONG', {}, envelope.id);
      return;
    }
    for (const waiter of this.#waiters) {
      if (!waiter.match(envelope)) continue;
      this.#waiters.delete(waiter);
      waiter.found(envelope);
      return;
    }
    this.received.push(envelope);
  }

  /** Sends an envelope; returns its id. */
  send(type: string, payload: unknown = {}, id = `r${++this.#requests}`): string {
    this.#line.send(encodeEnvelope(type, id, Date.now(), payload));
    return id;
  }

  sendText(text: string): void {
    this.#line.send(text);
  }

  /** Sends bytes that need not be a frame. */
  sendBytes(bytes: Uint8Array): void {
    this.#line.bytes(bytes);
  }

  /** Takes the first envelope of a type (or that matches), waiting for it if necessary. */
  next(wanted: string | Waiter['match']): Promise<Envelope> {
    const match =
      typeof wanted === 'string' ? ({ type }: Envelope) => type === wanted : (one: Envelope) => wanted(one);
    const index = this.received.findIndex(match);
    const [found] = index < 0 ? [] : this.received.splice(index, 1);
    if (found) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        if (!this.#waiters.delete(waiter)) return;
        const types = this.received.map(({ type, payload }) => `${type} ${JSON.stringify(payload)}`);
        reject(new Error(`${why} without ${wanted}; received: ${types.join(', ').slice(0, 2000)}`));
      };
      const deadline = setTimeout(() => fail(`${DEADLINE_MS} ms passed`), DEADLINE_MS);
      const waiter: Waiter = {
        match,
        found: (envelope) => {
          clearTimeout(deadline);
          resolve(envelope);
        },
      };
      this.#waiters.add(waiter);
      void this.closed.then(() => {
        clearTimeout(deadline);
        fail('The connection closed');
      });
    });
  }

  /** The error that answers a request, or (without an id) the one about the connection. */
  async nextError(id?: string): Promise<ErrorPayload> {
    const { payload } = await this.next((one) => one.type === 'ERROR' && idIn(one) === id);
    return payload as ErrorPayload;
  }

  /** Sends a request and resolves with its result, or rejects with its error. */
  async request<N extends OperationName>(
    operation: N,
    input: OperationInput<N>,
    id?: string,
  ): Promise<OperationResult<N>> {
    const requestId = this.send(operation, input, id);
    return (await this.#answer('ACK', requestId)) as OperationResult<N>;
  }

  async hello(payload: HelloPayload & Record<string, unknown> = {}): Promise<WelcomePayload> {
    this.send('HELLO', payload, 'hello');
    const { type, payload: answer } = await this.next(
      (one) => one.type === 'WELCOME' || (one.type === 'ERROR' && idIn(one) === 'hello'),
    );
    if (type === 'ERROR') throw RelayError.fromPayload(answer as ErrorPayload);
    return answer as WelcomePayload;
  }

  /** The next `count` deliveries, in order of arrival. */
  async deliveries(count: number): Promise<Message[]> {
    const messages: Message[] = [];
    while (messages.length < count) messages.push((await this.next('DELIVER')).payload as Message);
    return messages;
  }

  /** Resolves when everything sent so far has been handled; `HELLO` must have been sent. */
  async settled(): Promise<void> {
    const id = this.send('PING');
    await this.next((one) => one.type === 'PONG' && idIn(one) === id);
  }

  /** Stops and restarts reading, like a client that hangs. */
  pause(): void {
    this.#line.pause();
  }

  resume(): void {
    this.#line.resume();
  }

  /** Closes cleanly. */
  end(): Promise<void> {
    this.#line.end();
    return this.closed;
  }

  [Symbol.dispose](): void {
    this.#line.destroy();
  }

  async #answer(type: string, id: string): Promise<unknown> {
    const answer = await this.next((one) => (one.type === type || one.type === 'ERROR') && idIn(one) === id);
    if (answer.type === 'ERROR') throw RelayError.fromPayload(answer.payload as ErrorPayload);
    const { id: _id, ...result } = answer.payload as { id: string };
    return result;
  }
}

const idIn = ({ payload }: Envelope): string | undefined => (payload as { id?: string } | null)?.id;

/** Length-prefixed frames on a unix socket. */
export async function connectToSocket(path: string): Promise<RawClient> {
  const socket: Socket = createConnection(path);
  await once(socket, 'connect');
  const parser = new FrameParser(MAX_RECEIVED_BYTES);
  const client = new RawClient(
    {
      send: (text) => void socket.write(encodeFrame(text)),
      bytes: (bytes) => void socket.write(bytes),
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
      end: () => void socket.end(),
      destroy: () => void socket.destroy(),
    },
    new Promise((closed) => socket.on('close', closed)),
  );
  socket.on('data', (chunk) => parser.push(chunk, (text) => client.take(text)));
  // A daemon may reset a connection; 'close' follows.
  socket.on('error', () => undefined);
  return client;
}

/** One envelope per text message on a WebSocket; rejects with the status when it is refused. */
export async function connectToWebSocket(
  url: string,
  options: { headers?: Record<string, string>; origin?: string } = {},
): Promise<RawClient> {
  const webSocket = new WebSocket(url, options);
  const client = new RawClient(
    {
      send: (text) => webSocket.send(text),
      bytes: (bytes) => webSocket.send(bytes, { binary: true }),
      pause: () => webSocket.pause(),
      resume: () => webSocket.resume(),
      end: () => webSocket.close(),
      destroy: () => webSocket.terminate(),
    },
    new Promise((closed) => webSocket.on('close', closed)),
  );
  // Before it is open: the daemon may have something to say at once.
  webSocket.on('message', (data) => client.take(data.toString()));
  await new Promise<void>((opened, refused) => {
    webSocket.once('open', opened);
    webSocket.on('error', refused);
    webSocket.once('unexpected-response', (_request, response) => {
      refused(new Error(`refused with ${response.statusCode}`));
    });
  });
  return client;
}
