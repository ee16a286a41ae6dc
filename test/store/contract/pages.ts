import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import { MAX_PAGE_BYTES } from '../../../packages/relay/src/core/ports/store/messages.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { inboxOf, NOW, newWorld } from './world.ts';

/** Of two bytes each, which are what is counted. */
const BODY = `${'ä'.repeat(MAX_PAGE_BYTES / 16 - 4)} word`.padEnd(MAX_PAGE_BYTES / 16 + 1);
const COUNT = 14;
/** The first of so many that takes them over the limit. */
const FITTING = Math.floor(MAX_PAGE_BYTES / Buffer.byteLength(BODY)) + 1;

/** Every page of messages ends with the one that takes it over `MAX_PAGE_BYTES`. */
export function pages(store: () => Store): void {
  const manyLarge = async () => {
    const { agents, dm, send, workspace } = await newWorld(store(), 2);
    const [alice, bob] = agents as [Agent, Agent];
    const conversation = await dm(alice, bob);
    const sent: number[] = [];
    for (let i = 0; i < COUNT; i++)
      sent.push((await send(alice, conversation, [bob], { body: BODY, thread: 'long' })).seq);
    const [oldest, newest] = [sent.slice(0, FITTING), sent.slice(-FITTING)];
    return { alice, bob, workspaceId: workspace.id, oldest, newest, send };
  };
  const seqsOf = (messages: Array<{ seq: number }>) => messages.map(({ seq }) => seq);

  describe('a page of large messages', () => {
    it('ends early in an inbox, at the end that was asked for', async () => {
      const { bob, oldest, newest } = await manyLarge();
      expect(seqsOf(await store().inbox(inboxOf(bob)))).toEqual(oldest);
      expect(seqsOf(await store().inbox(inboxOf(bob, { take: 'newest' })))).toEqual(newest);
      expect(seqsOf(await store().inbox(inboxOf(bob, { thread: 'long' })))).toEqual(oldest);
      expect(seqsOf(await store().inbox(inboxOf(bob, { limit: 2 })))).toEqual(oldest.slice(0, 2));
    });

    it('ends early in a history, a thread and a project, and the next one continues', async () => {
      const { bob, workspaceId, oldest, newest } = await manyLarge();
      const history = async (more: object) =>
        seqsOf(await store().history({ workspaceId, viewer: bob.id, limit: 100, ...more }));
      expect(await history({})).toEqual(newest);
      expect(await history({ after: 0 })).toEqual(oldest);
      expect(await history({ thread: 'long', after: 0 })).toEqual(oldest);
      expect(await history({ after: oldest.at(-1) })).toHaveLength(COUNT - FITTING);
      expect(seqsOf(await store().listMessages({ workspaceId, after: 0, limit: 100 }))).toEqual(oldest);
    });

    it('ends early in a search', async () => {
      const { bob, workspaceId, newest } = await manyLarge();
      const hits = await store().search({ workspaceId, viewer: bob.id, text: 'word', limit: 100 });
      expect(seqsOf(hits.map(({ message }) => message))).toEqual(newest.toReversed());
    });

    it('ends early in a list of conversations', async () => {
      const { agents, dm, send } = await newWorld(store(), COUNT + 1);
      const [reader, ...others] = agents as [Agent, ...Agent[]];
      for (const other of others) await send(other, await dm(other, reader), [reader], { body: BODY });
      const newest = others.map(({ name }) => [name]).slice(-FITTING);
      const conversations = await store().directConversations(reader.id, 100, NOW);
      expect(conversations.map(({ participants }) => participants)).toEqual(newest.toReversed());
    });
  });
}
