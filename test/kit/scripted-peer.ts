import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  decodeEnvelope,
  type Envelope,
  encodeEnvelope,
  encodeFrame,
  FrameParser,
  type HelloPayload,
  type Message,
  type WelcomePayload,
} from '@agent-relay/protocol';
import { connect, type NodeConnectOptions } from '../../packages/sdk/src/node/connect.ts';

/** A queue whose reader waits for items. */
class Arrivals<T> {
  readonly #items: T[] = [];
  readonly #readers: Array<(item: T) => void> = [];

  put(item: T): void {
    const reader = this.#readers.shift();
    if (reader) reader(item);
    else this.#items.push(item);
  }

  take(): Promise<T> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve) => this.#readers.push(resolve));
  }
}

/** For tests: the daemon's side of the protocol on a real socket, driven by the test. */
export class ScriptedPeer implements AsyncDisposable {
  readonly directory: string;
  readonly socketPath: string;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Arrivals<PeerConnection>();

  constructor(directory: string) {
    this.directory = directory;
    this.socketPath = join(directory, 'daemon.sock');
  }

  static async start(): Promise<ScriptedPeer> {
    const peer = new ScriptedPeer(await mkdtemp(join(tmpdir(), 'relay-peer-')));
    await peer.listen();
    return peer;
  }

  listen(): Promise<void> {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      const connection = new PeerConnection(socket);
      // A client that only probes the socket sends nothing.
      socket.once('data', () => this.#connections.put(connection));
    });
    return new Promise((resolve) => this.#server?.listen(this.socketPath, resolve));
  }

  /** The next connection on which a client sends something. */
  accept(): Promise<PeerConnection> {
    return this.#connections.take();
  }

  /** The next connection, already welcomed. */
  async welcome(changes: Partial<WelcomePayload> = {}): Promise<PeerConnection> {
    const connection = await this.accept();
    await connection.welcome(changes);
    return connection;
  }

  /** Simulates a crash: connections break, and the socket disappears. */
  async die(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.die();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** One connection, seen from the daemon. */
export class PeerConnection {
  readonly #socket: Socket;
  readonly #received = new Arrivals<Envelope>();
  readonly closed: Promise<void>;
  /** How many chunks the client's texts came in. */
  reads = 0;
  hello: HelloPayload | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    const parser = new FrameParser();
    socket.on('data', (chunk) => {
      this.reads++;
      parser.push(chunk, (text) => this.#received.put(decodeEnvelope(text)));
    });
    // A client may reset the connection.
    socket.on('error', () => socket.destroy());
    this.closed = new Promise((resolve) => socket.on('close', () => resolve()));
  }

  /** The next envelope of the client; it must be of the type, if one is given. */
  async take<T = Record<string, unknown>>(type?: string): Promise<Envelope<T>> {
    const envelope = await this.#received.take();
    if (type !== undefined && envelope.type !== type) {
      throw new Error(`expected ${type}, got ${envelope.type} ${JSON.stringify(envelope.payload)}`);
    }
    return envelope as Envelope<T>;
  }

  async welcome(changes: Partial<WelcomePayload> = {}): Promise<void> {
    this.greet((await this.take<HelloPayload>('HELLO')).payload, changes);
  }

  /** Answers a HELLO. */
  greet(hello: HelloPayload, changes: Partial<WelcomePayload> = {}): void {
    this.hello = hello;
    const { name } = hello;
    this.send('WELCOME', {
      protocol: 1,
      daemon: { version: '0.0.0', startedAt: 0 },
      project: 'play',
      heartbeatMs: 60_000,
      maxFrameBytes: 1024 * 1024,
      ...(name === undefined ? {} : { agent: { name, type: 'agent', lead: false } }),
      ...changes,
    } satisfies WelcomePayload);
  }

  send(type: string, payload: unknown): void {
    this.sendBytes(encodeFrame(encodeEnvelope(type, 'd1', 1, payload)));
  }

  sendBytes(bytes: Uint8Array | string): void {
    this.#socket.write(bytes);
  }

  /** Answers a request. */
  ack(request: Envelope, result: object = {}): void {
    this.send('ACK', { id: request.id, ...result });
  }

  refuse(request: Envelope, code: string): void {
    this.send('ERROR', { id: request.id, code, message: code, next: 'wait', retryable: false });
  }

  /** The client says whether it wants messages pushed, and is answered; resolves with where it goes on. */
  async received(paths: string[] = ['push']): Promise<number | undefined> {
    const request = await this.take<{ paths: string[]; resumeAfter?: number }>('RECEIVE');
    const { payload } = request;
    if (payload.paths.join() !== paths.join()) throw new Error(`paths: ${payload.paths}`);
    this.ack(request);
    return payload.resumeAfter;
  }

  deliver(...seqs: number[]): void {
    for (const seq of seqs) this.send('DELIVER', messageOf(seq));
  }

  /** Takes envelopes until the flow control says `upTo`. */
  async acknowledged(upTo: number): Promise<void> {
    for (;;) {
      const { payload } = await this.take<{ upTo?: number }>('ACK');
      if (payload.upTo === upTo) return;
    }
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

export const messageOf = (seq: number): Message => ({
  seq,
  id: `msg_${seq}`,
  from: 'Bob',
  to: 'Alice',
  kind: 'free',
  importance: 'normal',
  content: `message ${seq}`,
  ts: seq,
});

/** A named client that reconnects right away. */
export const AGENT = { name: 'Alice', token: 'at_test', reconnect: { minDelayMs: 1, maxDelayMs: 5 } };

/** A client connected to a daemon driven by the test. */
export async function play(options: NodeConnectOptions = {}) {
  const peer = await ScriptedPeer.start();
  const connecting = connect({ ...AGENT, socketPath: peer.socketPath, ...options });
  const daemon = await peer.welcome();
  const relay = await connecting;
  return {
    peer,
    daemon,
    relay,
    [Symbol.asyncDispose]: async () => {
      await relay.close();
      await peer[Symbol.asyncDispose]();
    },
  };
}
