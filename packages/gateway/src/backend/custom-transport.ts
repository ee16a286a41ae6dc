import type { CustomEndpoint } from '../config/backend-config.ts';
import { type BackendTransport, type CustomLink, NotWritten, type TransportEvents } from './transport.ts';

/** A server that whoever runs the gateway knows how to reach, such as one in this process. */
export class CustomTransport implements BackendTransport {
  readonly kind = 'custom';
  readonly #endpoint: CustomEndpoint;
  readonly #events: TransportEvents;
  #link: CustomLink | undefined;

  constructor(endpoint: CustomEndpoint, events: TransportEvents) {
    this.#endpoint = endpoint;
    this.#events = events;
  }

  get backlog(): number {
    return this.#link?.backlog ?? 0;
  }

  async start(): Promise<void> {
    this.#link = await this.#endpoint.open({
      message: (bytes) => this.#events.message(bytes),
      closed: (reason) => this.#ended(reason),
      oversized: (head, tail) => this.#events.oversized(head, tail),
    });
  }

  send(message: Buffer): void {
    if (!this.#link) throw new NotWritten('the connection has ended');
    this.#link.send(message);
  }

  async close(): Promise<void> {
    await this.#link?.close();
  }

  #ended(reason: string): void {
    this.#link = undefined;
    this.#events.closed(reason);
  }
}
