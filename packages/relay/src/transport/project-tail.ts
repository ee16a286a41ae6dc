import type { Message } from '@agent-relay/protocol';
import { Feed } from '../core/delivery/feed.ts';
import { mayHaveMore } from '../core/reading/page.ts';
import type { Relay } from '../core/relay.ts';
import type { Connection } from './connection.ts';
import { HIGH_WATER_BYTES } from './limits.ts';

/** Shows every message of a project over one connection, no faster than the client takes them. */
export class ProjectTail {
  readonly #feed: Feed<Message>;
  readonly #stopFollowing: () => void;

  constructor(
    relay: Relay,
    connection: Connection,
    from: { workspaceId: number; after: number },
    on: { message(message: Message): void; failed(error: unknown): void },
  ) {
    const { workspaceId, after } = from;
    this.#feed = new Feed<Message>(
      {
        read: async (cursor, limit) => {
          const stored = await relay.store.listMessages({ workspaceId, after: cursor, limit });
          return { items: stored.map(relay.descriptions.stored), more: mayHaveMore(stored, limit) };
        },
        push: on.message,
        ready: () => connection.bufferedBytes < HIGH_WATER_BYTES,
        failed: on.failed,
      },
      after,
    );
    this.#stopFollowing = relay.fanout.follow(workspaceId, this.#feed);
  }

  resume(): void {
    this.#feed.resume();
  }

  close(): void {
    this.#feed.close();
    this.#stopFollowing();
  }
}
