import type { MemoryEndpoint } from '../config/backend-config.ts';
import { type BackendTransport, NotWritten, type TransportEvents } from './transport.ts';

/** A server in this process as a client reaches it. */
export interface MemoryLink {
  /** One JSON-RPC message. */
  send(message: Buffer): void;
  close(): Promise<void>;
}

/** Connects to a server in this process, which speaks the 2025 revisions. */
export type OpenMemoryLink = (events: Pick<TransportEvents, 'message' | 'closed'>) => Promise<MemoryLink>;

/** A server in this process: messages are handed over, as the bytes they would be on any other way. */
export class MemoryTransport implements BackendTransport {
  readonly kind = 'memory';
  readonly #open: OpenMemoryLink;
  readonly #events: TransportEvents;
  #link: MemoryLink | undefined;

  constructor({ open }: MemoryEndpoint, events: TransportEvents) {
    this.#open = open;
    this.#events = events;
  }

  async start(): Promise<void> {
    this.#link = await this.#open({
      message: (bytes) => this.#events.message(bytes),
      closed: (reason) => this.#ended(reason),
    });
  }

  send(message: Buffer): void {
    if (!this.#link) throw new NotWritten('the server has ended');
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
