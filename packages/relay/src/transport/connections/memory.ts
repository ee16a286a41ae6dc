import type { AcceptConnection, Connection, ConnectionEvents, Outgoing } from './connection.ts';

/** Events of the client's end of a connection. */
export interface MemoryClient {
  onText(text: string): void;
  /** Called once, at the end. */
  onClose(): void;
}

/** The client's end of a connection inside this process. */
export interface MemoryWire {
  send(text: string): void;
  /** Passes on pending data, then closes. */
  close(): void;
  /** Closes now; drops pending data. */
  destroy(): void;
}

/** Connects a client of this process with a session like a socket: neither end is called back synchronously. */
export function connectInMemory(accept: AcceptConnection, client: MemoryClient): MemoryWire {
  return new MemoryConnection(accept, client).wire;
}

class MemoryConnection implements Connection {
  readonly label = 'memory';
  readonly wire: MemoryWire = {
    send: (text) => {
      this.#toSession.push(text);
      this.#schedule();
    },
    close: () => this.#end('in order'),
    destroy: () => this.#end('at once'),
  };
  readonly #client: MemoryClient;
  readonly #session: ConnectionEvents;
  #toClient: string[] = [];
  #toSession: string[] = [];
  #bufferedBytes = 0;
  #paused = false;
  #scheduled = false;
  #ending: 'in order' | 'at once' | undefined;
  #gone = false;

  constructor(accept: AcceptConnection, client: MemoryClient) {
    this.#client = client;
    this.#session = accept(this);
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  send({ text }: Outgoing): void {
    this.#toClient.push(text);
    this.#bufferedBytes += text.length;
    this.#schedule();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
  }

  close(hard = false): void {
    // The session wants nothing more, even if data is still in transit.
    this.#toSession = [];
    this.#end(hard ? 'at once' : 'in order');
  }

  #end(how: 'in order' | 'at once'): void {
    if (this.#ending !== 'at once') this.#ending = how;
    this.#schedule();
  }

  /** Everything of one turn of the event loop is passed on together. */
  #schedule(): void {
    if (this.#scheduled || this.#gone) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#carry();
    });
  }

  #carry(): void {
    this.#carryToSession();
    this.#carryToClient();
    // Data that a paused session has not taken is not lost by closing.
    const isDone = this.#ending === 'at once' || this.#toSession.length === 0;
    if (this.#ending === undefined || !isDone) return;
    this.#gone = true;
    this.#client.onClose();
    this.#session.closed();
  }

  #carryToSession(): void {
    while (!this.#paused && this.#ending !== 'at once') {
      const text = this.#toSession.shift();
      if (text === undefined) return;
      this.#session.text(text);
    }
  }

  #carryToClient(): void {
    if (this.#ending === 'at once' || this.#toClient.length === 0) return;
    const texts = this.#toClient;
    this.#toClient = [];
    this.#bufferedBytes = 0;
    for (const text of texts) this.#client.onText(text);
    this.#session.drained();
  }
}
