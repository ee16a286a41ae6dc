import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Clients in use send one request after the other. */
const MOST_UNANSWERED = 16;

/** A connection that sends more requests without waiting for answers is closed: Node would take any number of them. */
export class Pipelines {
  readonly #unanswered = new WeakMap<Socket, number>();

  /** Counts a request until it is answered; false if its connection was closed instead. */
  admit(socket: Socket, response: ServerResponse): boolean {
    const count = (this.#unanswered.get(socket) ?? 0) + 1;
    if (count > MOST_UNANSWERED) {
      socket.destroy();
      return false;
    }
    this.#unanswered.set(socket, count);
    response.once('close', () => this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1));
    return true;
  }
}
