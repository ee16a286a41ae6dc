import type { Relay } from '@agent-relay/sdk';
import { Mutex } from './mutex.ts';

/** Runs an action once a reply was written to the client, or never will be. */
export interface ReplyWatch {
  afterReply(action: (written: boolean) => Promise<void>): void;
}

/** Messages that a session reads; those without `readAt` are unread. */
export interface ReadPage<M> {
  messages: M[];
  unread: number;
}

/** What is needed of a message to mark it read. */
export type ReadMessage = { id: string; readAt?: number };

/** The unread messages of a session's agent: counted only if there may be any, each taken once. */
export class UnreadMail {
  readonly #readers = new Mutex();
  readonly #relay: () => Promise<Relay>;
  /** False only if it is certain that nothing is unread, to save a request. */
  #mayExist = false;

  constructor(relay: () => Promise<Relay>) {
    this.#relay = relay;
  }

  /** What a new connection says; what was known of another agent is forgotten. */
  begin(unread: number): void {
    this.#mayExist = unread > 0;
  }

  /** Some may have arrived. */
  arrived(): void {
    this.#mayExist = true;
  }

  async count(): Promise<number> {
    if (!this.#mayExist) return 0;
    const relay = await this.#relay();
    this.#mayExist = false;
    const { unread } = await relay.inbox({ limit: 1, markRead: false });
    this.#mayExist ||= unread > 0;
    return unread;
  }

  /**
   * Reads the inbox; messages are marked read once the reply that shows them is written, so that none is lost with a
   * reply that never arrived. One reader at a time, until they are marked: two never get the same message.
   */
  async take<M extends ReadMessage>(
    read: (relay: Relay) => Promise<ReadPage<M>>,
    { afterReply }: ReplyWatch,
  ): Promise<ReadPage<M>> {
    const leave = await this.#readers.enter();
    try {
      const relay = await this.#relay();
      this.#mayExist = false;
      const inbox = await read(relay);
      const unread = inbox.messages.filter(({ readAt }) => readAt === undefined).map(({ id }) => id);
      this.#mayExist ||= inbox.unread > unread.length;
      afterReply(async (written) => {
        try {
          if (written) await relay.read(unread, { path: 'pull' });
          else if (unread.length > 0) this.#mayExist = true;
        } finally {
          leave();
        }
      });
      return { ...inbox, unread: Math.max(0, inbox.unread - unread.length) };
    } catch (error) {
      leave();
      throw error;
    }
  }
}
