import assert from 'node:assert/strict';
import { newAgentToken } from '@agent-relay/platform/secrets';
import type { ErrorPayload, Message, SendResult } from '@agent-relay/protocol';
import { FrameClient } from '../../bench/frame-client.ts';

const RETRY_MS = 5;

/** Connects as soon as the daemon listens. */
async function connectEventually(socketPath: string, hello: Parameters<typeof FrameClient.connect>[1]) {
  for (;;) {
    try {
      return await FrameClient.connect(socketPath, hello);
    } catch (error) {
      if (!['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/**
 * Sends numbered messages and records which of them were acknowledged. When it reconnects, what
 * was not acknowledged is sent again, in order, with the same ids.
 */
export class LedgerSender {
  readonly name: string;
  /** The message id the daemon gave, by the number of the message (from 1). */
  readonly acknowledged = new Map<number, string>();
  onAcknowledged: () => unknown = () => undefined;
  onRefused: (error: ErrorPayload, number: number) => void = (error) => assert.fail(JSON.stringify(error));
  readonly #to: string;
  readonly #token = newAgentToken();
  readonly #body: string;
  #client: FrameClient | undefined;
  #sent = 0;

  constructor(name: string, to: string, body = 'a message') {
    this.name = name;
    this.#to = to;
    this.#body = body;
  }

  get sent(): number {
    return this.#sent;
  }

  get isSettled(): boolean {
    return this.acknowledged.size === this.#sent;
  }

  /** Resolves when everything sent is acknowledged. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.onAcknowledged = () => this.isSettled && resolve();
      this.onAcknowledged();
    });
  }

  async connect(socketPath: string): Promise<void> {
    // An answer still in transit from a dead daemon is ignored: the message is sent again.
    this.#client?.close();
    const hello = { name: this.name, token: this.#token, paths: [] };
    const { client } = await connectEventually(socketPath, hello);
    this.#client = client;
    client.onText = (text) => this.#onAnswer(text);
    for (let number = 1; number <= this.#sent; number++)
      if (!this.acknowledged.has(number)) this.resend(number);
  }

  /** The id of a numbered message: all have the same length, so that none is contained in another. */
  idOf(number: number): string {
    return `${this.name}-${String(number).padStart(8, '0')}`;
  }

  sendNext(): void {
    this.#sent += 1;
    this.resend(this.#sent);
  }

  resend(number: number): void {
    const id = this.idOf(number);
    this.#client?.request('SEND', id, { to: this.#to, content: `${number} ${id} ${this.#body}` });
  }

  close(): void {
    this.#client?.close();
  }

  #onAnswer(text: string): void {
    const { type, payload } = JSON.parse(text) as { type: string; payload: { id?: string } };
    const number = Number(payload.id?.slice(-8));
    if (type === 'PING') {
      this.#client?.request('PONG', 'pong', {});
    } else if (type === 'ACK') {
      const { messageId } = payload as SendResult & { id: string };
      const known = this.acknowledged.get(number);
      assert(known === undefined || known === messageId, `message ${number} got a second id`);
      this.acknowledged.set(number, messageId);
      this.onAcknowledged();
    } else {
      this.onRefused(payload as ErrorPayload, number);
    }
  }
}

/** Takes deliveries, records everything, and resumes after the last one when it reconnects. */
export class RecordingReceiver {
  readonly name: string;
  /** In order of arrival, including duplicates. */
  readonly received: Message[] = [];
  onReceived: () => unknown = () => undefined;
  readonly token = newAgentToken();
  #client: FrameClient | undefined;
  /** Settles when the current connection has ended. */
  ended: Promise<unknown> = Promise.resolve();

  constructor(name: string) {
    this.name = name;
  }

  async connect(socketPath: string): Promise<void> {
    // What is still on its way on the old connection counts: only its end shows where to resume.
    await this.ended;
    const resumeAfter = this.received.at(-1)?.seq ?? 0;
    const hello = { name: this.name, token: this.token, resumeAfter };
    const { client } = await connectEventually(socketPath, hello);
    this.#client = client;
    this.ended = new Promise((resolve) => client.socket.once('close', resolve));
    client.onText = (text) => this.#onDelivery(text);
  }

  /** Resolves when this many messages have arrived in total. */
  reached(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.onReceived = () => this.received.length >= count && resolve();
      this.onReceived();
    });
  }

  close(): void {
    this.#client?.close();
  }

  #onDelivery(text: string): void {
    const { type, payload } = JSON.parse(text) as { type: string; payload: Message };
    if (type === 'PING') this.#client?.request('PONG', 'pong', {});
    if (type !== 'DELIVER') return;
    this.received.push(payload);
    if (this.received.length % 32 === 0) this.#client?.request('ACK', 'taken', { upTo: payload.seq });
    this.onReceived();
  }
}

/** Everything acknowledged arrived once and in order, and nothing else arrived. */
export function assertDelivered(sender: LedgerSender, receiver: RecordingReceiver): void {
  const got = receiver.received.filter(({ from }) => from === sender.name);
  assert.deepEqual(
    got.map(({ content }) => Number.parseInt(content, 10)),
    Array.from({ length: sender.sent }, (_, index) => index + 1),
    `${receiver.name} did not get the messages of ${sender.name} once each, in order`,
  );
  for (const [number, id] of sender.acknowledged) assert.equal(got[number - 1]?.id, id);
}
