import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import {
  decodeEnvelope,
  type Envelope,
  encodeEnvelope,
  encodeFrame,
  FrameParser,
  type HelloPayload,
  type WelcomePayload,
} from '@agent-relay/protocol';

/** A unique name. */
export const uniqueName = (prefix: string): string => `${prefix}-${randomBytes(4).toString('hex')}`;

/**
 * The cheapest client for frames over the local socket. It is a load generator: it has no retries, no
 * timers and no state but what its user keeps, so that a measurement shows the daemon and not the client.
 */
export class FrameClient {
  readonly socket: Socket;
  #onText: ((text: string) => void) | undefined;
  /** Texts that arrived without a listener. */
  readonly #waiting: string[] = [];
  #corked = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    const parser = new FrameParser();
    const take = (text: string) => {
      if (this.#onText) this.#onText(text);
      else this.#waiting.push(text);
    };
    socket.on('data', (chunk) => parser.push(chunk, take));
    // An error is always followed by 'close'.
    socket.on('error', () => undefined);
  }

  static async open(socketPath: string): Promise<FrameClient> {
    const socket = createConnection(socketPath);
    await once(socket, 'connect');
    return new FrameClient(socket);
  }

  /** Connects as an agent, or as an observer when no name is given. */
  static async connect(
    socketPath: string,
    hello: HelloPayload,
  ): Promise<{ client: FrameClient; welcome: WelcomePayload }> {
    const client = await FrameClient.open(socketPath);
    const answer = client.next();
    client.request('HELLO', 'hello', hello);
    const { type, payload } = await answer;
    if (type !== 'WELCOME') throw new Error(`HELLO was answered by ${type}: ${JSON.stringify(payload)}`);
    return { client, welcome: payload as WelcomePayload };
  }

  /** Gets the text of every envelope from now on, after those that arrived without a listener. */
  set onText(listener: (text: string) => void) {
    this.#onText = listener;
    while (this.#waiting.length > 0 && this.#onText) this.#onText(this.#waiting.shift() ?? '');
  }

  /** Everything written in one turn of the event loop is one system call. */
  write(text: string): void {
    if (!this.#corked) {
      this.#corked = true;
      this.socket.cork();
      process.nextTick(() => {
        this.#corked = false;
        this.socket.uncork();
      });
    }
    this.socket.write(encodeFrame(text));
  }

  request(type: string, id: string, payload: unknown): void {
    this.write(encodeEnvelope(type, id, Date.now(), payload));
  }

  /** The next envelope, whatever it is; rejects when the connection ends first. */
  next(): Promise<Envelope> {
    return new Promise((resolve, reject) => {
      const onClose = () => reject(new Error('The connection was closed.'));
      this.socket.once('close', onClose);
      this.onText = (text) => {
        this.#onText = undefined;
        this.socket.off('close', onClose);
        resolve(decodeEnvelope(text));
      };
    });
  }

  /** Sends a request and waits for its answer; for connections that receive nothing else. */
  async ask(type: string, id: string, payload: unknown): Promise<Envelope> {
    const answer = this.next();
    this.request(type, id, payload);
    return await answer;
  }

  close(): void {
    this.socket.destroy();
  }
}
