import type { Message } from '@agent-relay/protocol';
import { Feed } from '../delivery/feed.ts';
import type { Ongoing } from '../operations/caller.ts';
import type { Relay } from '../relay.ts';
import { mayHaveMore } from './page.ts';

/** Sends every message of a project after `after`, in order, no faster than the client takes them. */
export function followProject(relay: Relay, workspaceId: number, after: number, ongoing: Ongoing): void {
  const feed = new Feed<Message>(
    {
      read: async (cursor, limit) => {
        const stored = await relay.store.listMessages({ workspaceId, after: cursor, limit });
        return { items: stored.map(relay.descriptions.stored), more: mayHaveMore(stored, limit) };
      },
      push: (message) => ongoing.event(message),
      ready: () => ongoing.hasRoom,
      failed: (error) => ongoing.lost(error),
    },
    relay.order,
    after,
  );
  const stopFollowing = relay.fanout.follow(workspaceId, feed);
  ongoing.onRoom = () => feed.resume();
  ongoing.onEnd = () => {
    feed.close();
    stopFollowing();
  };
  feed.resume();
}
