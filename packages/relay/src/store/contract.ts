import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../core/ports/store.ts';
import { deliveries } from './contract/deliveries.ts';
import { messages } from './contract/messages.ts';
import { workspacesAndAgents } from './contract/registry.ts';
import { defined, inboxOf, NOW, newWorld } from './contract/world.ts';

/** What every store promises. `open` opens the same database each time. */
export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(`the store contract on ${name}`, () => {
    let opened: Store;
    const store = () => opened;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    it('says which database it is', () => {
      expect(store().kind).toBe(name);
    });

    workspacesAndAgents(store);
    messages(store);
    deliveries(store);

    it('reads see every write that was confirmed', async () => {
      const { agents, channel, draft } = await newWorld(store(), 2);
      const [alice, bob] = [defined(agents[0]), defined(agents[1])];
      const conversation = await channel();
      for (let count = 1; count <= 50; count++) {
        const { seq } = await store().appendMessage(draft(alice, conversation, [bob]));
        expect(await store().countUnread(bob.id, NOW)).toBe(count);
        expect(await store().lastSeq(alice.workspaceId)).toBe(seq);
      }
    });

    it('writes are applied in the order of the calls', async () => {
      const { agents } = await newWorld(store(), 1);
      const agent = defined(agents[0]);
      await Promise.all(
        Array.from({ length: 100 }, (_, i) => store().updateAgent(agent.id, { task: `task ${i}` })),
      );
      expect((await store().findAgent(agent.workspaceId, agent.name))?.task).toBe('task 99');
    });

    it('closing finishes the writes accepted before, and another opening finds them', async () => {
      const closing = await open();
      const { agents, channel, draft } = await newWorld(closing, 2);
      const [alice, bob] = [defined(agents[0]), defined(agents[1])];
      const conversation = await channel();
      const sent = Array.from({ length: 50 }, () => closing.appendMessage(draft(alice, conversation, [bob])));
      await closing.close();
      const ids = (await Promise.all(sent)).map(({ id }) => id);
      const reopened = await open();
      expect((await reopened.inbox(inboxOf(bob))).map(({ id }) => id)).toEqual(ids);
      await reopened.close();
    });
  });
}
