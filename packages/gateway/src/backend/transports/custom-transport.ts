import type { CustomEndpoint } from '../../config/backend-config.ts';
import { type BackendTransport, type CustomChannel, NotWritten, type TransportEvents } from './transport.ts';

/** A server reached by code of the embedding program, such as one in this process. */
export class CustomTransport implements BackendTransport {
  readonly kind = 'custom';
  readonly #endpoint: CustomEndpoint;
  readonly #events: TransportEvents;
  #channel: CustomChannel | undefined;

  constructor(endpoint: CustomEndpoint, events: TransportEvents) {
    this.#endpoint = endpoint;
    this.#events = events;
  }

  get backlog(): number {
    return this.#channel?.backlog ?? 0;
  }

  async start(): Promise<void> {
    this.#channel = await this.#endpoint.open({
      message: (bytes) => this.#events.message(bytes),
      closed: (reason) => this.#ended(reason),
      oversized: (head, tail) => this.#events.oversized(head, tail),
    });
  }

  send(message: Buffer): void {
    if (!this.#channel) throw new NotWritten('the connection has ended');
    this.#channel.send(message);
  }

  async close(): Promise<void> {
    await this.#channel?.close();
  }

  #ended(reason: string): void {
    this.#channel = undefined;
    this.#events.closed(reason);
  }
}
