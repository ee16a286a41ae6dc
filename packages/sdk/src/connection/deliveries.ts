import type { Message } from '@agent-relay/protocol';
import { Wakeup } from '../relay/messages/wakeup.ts';
import { callApplication } from './emitter.ts';

/** `position` orders everything received: the sequence number, continued when a new database starts over. */
interface Delivery {
  position: number;
  message: Message;
}

/** A consumer of deliveries; `position` is the last one it has finished. */
interface Consumer {
  position: number;
  /** There may be new deliveries. */
  wake(): void;
}

/** After this many, deliveries are confirmed right away, well before the daemon's window is full. */
const ACKNOWLEDGE_EVERY = 64;

/** How many answers are remembered that may still arrive as deliveries. */
const REMEMBERED_REPLIES = 1024;

/** Callbacks that tell the daemon what happens here. */
interface Daemon {
  /** Everything up to this number was accepted; called in batches. Returns whether the daemon could be notified. */
  acknowledge(upTo: number): boolean;
  /** The first consumer was added, or the last one removed. */
  receive(wanted: boolean): void;
}

/**
 * Messages the daemon pushed to this agent: kept until every consumer has finished them, each given to a consumer once, in
 * order, across reconnects. Without a consumer none are requested, so that another client of the agent can get them.
 */
export class Deliveries {
  readonly #daemon: Daemon;
  readonly #consumers = new Set<Consumer>();
  /** Received and not yet accepted by all consumers; bounded by the daemon's window. */
  readonly #waiting: Delivery[] = [];
  readonly #wakeup = new Wakeup();
  /** Positions of messages the application already got as awaited answers. */
  readonly #replies = new Set<number>();
  /** The position of the last message of the previous database, which also started at 0. */
  #start = 0;
  #received = 0;
  #handedOver = 0;
  #acknowledged = 0;
  /** How many were accepted since the daemon was last notified. */
  #untold = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended: { error?: Error } | undefined;

  constructor(daemon: Daemon) {
    this.#daemon = daemon;
  }

  get areWanted(): boolean {
    return this.#consumers.size > 0;
  }

  /** Where a new connection continues; undefined before the first delivery was accepted. */
  get resumeAfter(): number | undefined {
    return this.#handedOver <= this.#start ? undefined : this.#handedOver - this.#start;
  }

  /** The daemon has a new database: its numbers start over, and none of its messages were received. */
  begin(): void {
    this.#start = this.#received;
    this.#acknowledged = this.#start;
    this.#replies.clear();
  }

  /** Takes a delivery; drops duplicates, and deliveries that arrive when there is no consumer. */
  receive(message: Message): void {
    const position = this.#start + message.seq;
    if (position <= this.#received || !this.areWanted) return;
    this.#received = position;
    if (this.#replies.delete(position)) {
      this.#settle();
      return;
    }
    this.#waiting.push({ position, message });
    for (const consumer of this.#consumers) consumer.wake();
  }

  /** The application already has this message, as an answer: it is not delivered again. */
  takenAsReply(seq: number): void {
    const position = this.#start + seq;
    if (position > this.#received) {
      this.#replies.add(position);
      const [oldest] = this.#replies;
      if (this.#replies.size > REMEMBERED_REPLIES && oldest !== undefined) this.#replies.delete(oldest);
      return;
    }
    const index = this.#waiting.findIndex((waiting) => waiting.position === position);
    if (index >= 0) this.#waiting.splice(index, 1);
    this.#settle();
  }

  /** Gives each delivery to `listener`, from now until the returned function is called. */
  listen(listener: (message: Message) => void): () => void {
    const consumer: Consumer = {
      position: this.#handedOver,
      wake: () => {
        for (let next = this.#after(consumer.position); next !== undefined; ) {
          if (!this.#consumers.has(consumer)) return;
          consumer.position = next.position;
          callApplication(listener, next.message);
          next = this.#after(consumer.position);
        }
        this.#settle();
      },
    };
    this.#join(consumer);
    // Deferred, so that the caller has finished its setup when the first message arrives.
    if (this.#waiting.length > 0) queueMicrotask(() => consumer.wake());
    return () => this.#leave(consumer);
  }

  /** The deliveries one by one; asking for the next, or ending the loop, finishes the previous one. */
  async *iterate(): AsyncGenerator<Message, void, void> {
    const consumer: Consumer = { position: this.#handedOver, wake: () => this.#wakeup.notify() };
    this.#join(consumer);
    try {
      while (true) {
        const next = this.#after(consumer.position);
        if (next !== undefined) {
          try {
            yield next.message;
          } finally {
            consumer.position = Math.max(consumer.position, next.position);
            this.#settle();
          }
        } else if (this.#ended) {
          if (this.#ended.error) throw this.#ended.error;
          return;
        } else {
          await this.#wakeup.wait();
        }
      }
    } finally {
      this.#leave(consumer);
    }
  }

  /** Tells the daemon now what has been accepted. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#handedOver <= this.#acknowledged || !this.#daemon.acknowledge(this.#handedOver - this.#start))
      return;
    this.#acknowledged = this.#handedOver;
    this.#untold = 0;
  }

  /** Stops handing over; iterations end, with the error if there is one. */
  end(error?: Error): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
    this.#ended = error ? { error } : {};
    this.#wakeup.notify();
  }

  #after(position: number): Delivery | undefined {
    return this.#waiting.find((waiting) => waiting.position > position);
  }

  #join(consumer: Consumer): void {
    this.#consumers.add(consumer);
    if (this.#consumers.size === 1 && !this.#ended) this.#daemon.receive(true);
  }

  /** The daemon delivers again, here or elsewhere, what the last consumer has not finished. */
  #leave(consumer: Consumer): void {
    if (!this.#consumers.delete(consumer)) return;
    this.#settle(consumer.position);
    if (this.areWanted || this.#ended) return;
    this.#waiting.length = 0;
    this.#received = this.#handedOver;
    this.flush();
    this.#daemon.receive(false);
  }

  /** Drops what all consumers have finished. The last consumer to leave decides for all. */
  #settle(leftAt = 0): void {
    let done = this.#consumers.size === 0 ? leftAt : Number.POSITIVE_INFINITY;
    for (const { position } of this.#consumers) done = Math.min(done, position);
    while (this.#waiting[0] !== undefined && this.#waiting[0].position <= done) {
      this.#handedOver = this.#waiting[0].position;
      this.#untold++;
      this.#waiting.shift();
    }
    if (this.#waiting.length === 0) this.#handedOver = this.#received;
    if (this.#handedOver > this.#acknowledged && !this.#ended) this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#untold >= ACKNOWLEDGE_EVERY) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), 0);
  }
}
