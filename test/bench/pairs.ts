import { newAgentToken } from '@agent-relay/platform/secrets';
import { idMaker, type Message } from '@agent-relay/protocol';
import { FrameClient } from './frame-client.ts';

/** How many deliveries a receiver takes before it acknowledges them; the daemon's window is 256. */
const TAKE_EVERY = 64;
const BODY_BYTES = 256;
const newId = idMaker(Date.now, Math.random);

/** A sender and the connected receiver of all its messages, which checks that each arrives once and in order. */
export class Pair {
  readonly #sender: FrameClient;
  readonly #receiver: FrameClient;
  readonly #name: string;
  readonly #body: string;
  #sent = 0;
  #acknowledged = 0;
  #received = 0;
  #taken = 0;
  /** Called with the number of the message, counted from 1. */
  onReceived: (count: number) => void = () => undefined;
  onAcknowledged: (count: number) => void = () => undefined;
  /** Rejects when the daemon violated its guarantees. */
  readonly broken: Promise<never>;
  readonly #break: (error: Error) => void;

  private constructor(name: string, sender: FrameClient, receiver: FrameClient) {
    this.#name = name;
    this.#sender = sender;
    this.#receiver = receiver;
    this.#body = sampleBody();
    const { promise, reject } = Promise.withResolvers<never>();
    this.broken = promise;
    this.#break = reject;
    promise.catch(() => undefined);
    for (const client of [sender, receiver])
      client.socket.once('close', () => reject(new Error(`A connection of ${name} was closed.`)));
    sender.onText = (text) => this.#onAnswer(text);
    receiver.onText = (text) => this.#onDelivery(text);
  }

  static async connect(socketPath: string, name: string): Promise<Pair> {
    const hello = (role: string) => ({ name: `${name}-${role}`, token: newAgentToken() });
    const receiver = await FrameClient.connect(socketPath, hello('receiver'));
    const sender = await FrameClient.connect(socketPath, { ...hello('sender'), paths: [] });
    return new Pair(name, sender.client, receiver.client);
  }

  get sent(): number {
    return this.#sent;
  }

  /** Sent and not yet acknowledged. */
  get inFlight(): number {
    return this.#sent - this.#acknowledged;
  }

  get isComplete(): boolean {
    return this.#acknowledged === this.#sent && this.#received === this.#sent;
  }

  send(): void {
    this.#sent += 1;
    const content = `${this.#sent} ${this.#body}`;
    this.#sender.request('SEND', requestId(this.#sent), { to: `${this.#name}-receiver`, content });
  }

  close(): void {
    this.#sender.close();
    this.#receiver.close();
  }

  #onAnswer(text: string): void {
    const { type, payload } = JSON.parse(text) as { type: string; payload: { id?: string } };
    if (type === 'PING') {
      this.#sender.request('PONG', 'pong', {});
    } else if (type === 'ACK' && payload.id?.endsWith(`-${this.#acknowledged + 1}`)) {
      // The answers of one sender arrive in the order of its requests.
      this.#acknowledged += 1;
      this.onAcknowledged(this.#acknowledged);
    } else {
      this.#break(new Error(`Message ${this.#acknowledged + 1} of ${this.#name} was answered by ${text}`));
    }
  }

  #onDelivery(text: string): void {
    const { type, payload } = JSON.parse(text) as { type: string; payload: Message };
    if (type === 'PING') {
      this.#receiver.request('PONG', 'pong', {});
    } else if (type === 'DELIVER' && payload.from !== `${this.#name}-sender`) {
      // From another sender, such as a broadcast.
    } else if (type === 'DELIVER' && Number.parseInt(payload.content, 10) === this.#received + 1) {
      this.#received += 1;
      if (this.#received - this.#taken >= TAKE_EVERY) this.#take(payload.seq);
      this.onReceived(this.#received);
    } else {
      this.#break(new Error(`Message ${this.#received + 1} of ${this.#name} was expected, not ${text}`));
    }
  }

  #take(upTo: number): void {
    this.#taken = this.#received;
    this.#receiver.request('ACK', 'taken', { upTo });
  }
}

export const connectPairs = (socketPath: string, count: number): Promise<Pair[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => Pair.connect(socketPath, `pair-${index}`)));

/** Unique ids that start with the time, like those of SDK clients. */
export const requestId = (count: number): string => `${newId('c')}-${count}`;

/** The text of every measured message, after its number. */
export const sampleBody = (): string => 'The build is green again. '.repeat(10).slice(0, BODY_BYTES);

/** Tells when everything that the pairs have sent is acknowledged and has arrived; call `check` when it may be so. */
export function allComplete(pairs: Pair[]): { check: () => void; reached: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = () => {
    if (pairs.every(({ isComplete }) => isComplete)) resolve();
  };
  return { check, reached: Promise.race([promise, ...pairs.map(({ broken }) => broken)]) };
}
