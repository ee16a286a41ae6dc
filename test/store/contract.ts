import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../packages/relay/src/core/ports/store.ts';
import { agents } from './contract/agents.ts';
import { attachments } from './contract/attachments.ts';
import { audit } from './contract/audit.ts';
import { channels } from './contract/channels.ts';
import { conversations } from './contract/conversations.ts';
import { counts } from './contract/counts.ts';
import { deletion } from './contract/deletion.ts';
import { deliveries } from './contract/deliveries.ts';
import { held } from './contract/held.ts';
import { history } from './contract/history.ts';
import { invocations } from './contract/invocations.ts';
import { messages } from './contract/messages.ts';
import { model } from './contract/model.ts';
import { pageSessions } from './contract/page-sessions.ts';
import { pages } from './contract/pages.ts';
import { reactions } from './contract/reactions.ts';
import { runs } from './contract/runs.ts';
import { search } from './contract/search.ts';
import { tools } from './contract/tools.ts';
import { transfer } from './contract/transfer.ts';
import { workspaces } from './contract/workspaces.ts';
import { defined, inboxOf, NOW, newWorld } from './contract/world.ts';

/** One database for the contract, opened as often as needed. */
export interface TestDatabase {
  open(): Promise<Store>;
  /** A store on the same files, as if the process with the given one had crashed. */
  afterCrash(store: Store): Promise<Store>;
}

/** The store contract. */
export function storeContract(name: string, { open, afterCrash }: TestDatabase): void {
  describe(`the store contract on ${name}`, () => {
    let opened: Store;
    const store = () => opened;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    it('names its database', () => {
      expect(store().kind).toBe(name);
    });

    workspaces(store);
    pageSessions(store);
    agents(store);
    tools(store);
    channels(store);
    conversations(store);
    messages(store);
    deliveries(store);
    history(store);
    pages(store);
    search(store);
    counts(store);
    reactions(store);
    held(store);
    invocations(store);
    runs(store);
    attachments(store);
    audit(store);
    deletion(store);
    transfer(store);
    model(open, afterCrash);

    it('shows every confirmed write to later reads', async () => {
      const { agents, channel, draft } = await newWorld(store(), 2);
      const [alice, bob] = [defined(agents[0]), defined(agents[1])];
      const conversation = await channel();
      for (let count = 1; count <= 50; count++) {
        const { seq } = await store().appendMessage(draft(alice, conversation, [bob]));
        expect(await store().countUnread(bob.id, NOW)).toBe(count);
        expect(await store().lastSeq(alice.workspaceId)).toBe(seq);
      }
    });

    it('applies writes in the order of the calls', async () => {
      const { agents } = await newWorld(store(), 1);
      const agent = defined(agents[0]);
      await Promise.all(
        Array.from({ length: 100 }, (_, i) => store().updateAgent(agent.id, { task: `task ${i}` })),
      );
      expect((await store().findAgent(agent.workspaceId, agent.name))?.task).toBe('task 99');
    });

    it('finishes accepted writes when it is closed', async () => {
      const closing = await open();
      const { agents, channel, draft } = await newWorld(closing, 2);
      const [alice, bob] = [defined(agents[0]), defined(agents[1])];
      const conversation = await channel();
      const sent = Array.from({ length: 50 }, () => closing.appendMessage(draft(alice, conversation, [bob])));
      await closing.close();
      await expect(closing.countUnread(bob.id, NOW)).rejects.toMatchObject({ code: 'StoreUnavailable' });
      const ids = (await Promise.all(sent)).map(({ id }) => id);
      const reopened = await open();
      expect((await reopened.inbox(inboxOf(bob))).map(({ id }) => id)).toEqual(ids);
      await reopened.close();
    });
  });
}
