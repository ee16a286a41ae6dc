import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { agentOf, defined, NOW, newWorld } from './world.ts';

type Two = [Agent, Agent];
const MINUTE_MS = 60_000;
const THIS = NOW / MINUTE_MS;

export function counts(store: () => Store): void {
  const world = async () => {
    const made = await newWorld(store(), 2);
    const [alice, bob] = made.agents as Two;
    const direct = await made.dm(alice, bob);
    const said = (sender: Agent, minute: number, ms = 0) =>
      made.send(sender, direct, [sender === alice ? bob : alice], {
        createdAt: (THIS + minute) * MINUTE_MS + ms,
      });
    const counted = async (more: { senderId?: number; from?: number; until?: number } = {}) => {
      const { from = -10, until = 10, ...rest } = more;
      const range = { from: THIS + from, until: THIS + until };
      const found = await store().countMessages({ workspaceId: made.workspace.id, ...range, ...rest });
      return found.map(({ minute, messages }) => [minute - THIS, messages]);
    };
    return { ...made, alice, bob, direct, said, counted };
  };
  const index = async () => {
    while ((await store().indexForSearch(2)) > 0);
  };

  describe('counts of messages', () => {
    it('are per minute and sender, the same before, while and after messages are indexed', async () => {
      const { alice, bob, said, counted } = await world();
      await said(alice, -3, 59_999);
      await said(alice, 0);
      await said(bob, 0, 1);
      await said(alice, 0, 59_999);
      await said(alice, 1);
      for (const step of [async () => undefined, () => store().indexForSearch(2), index, index]) {
        await step();
        expect(await counted()).toEqual([
          [-3, 1],
          [0, 3],
          [1, 1],
        ]);
        expect(await counted({ senderId: alice.id })).toEqual([
          [-3, 1],
          [0, 2],
          [1, 1],
        ]);
        expect(await counted({ from: -2, until: 0 })).toEqual([[0, 3]]);
        expect(await counted({ from: 2 })).toEqual([]);
      }
      await said(bob, 0);
      expect(await counted({ from: 0, until: 0 })).toEqual([[0, 4]]);
      await index();
      expect(await counted({ from: 0, until: 0 })).toEqual([[0, 4]]);
    });

    it('have neither other workspaces nor what the relay itself says', async () => {
      const { alice, direct, bob, send, said, counted, workspace } = await world();
      const relay = defined(await store().createAgent({ ...agentOf(workspace.id), type: 'system' }));
      await said(alice, 0);
      await send(relay, direct, [bob], { createdAt: NOW });
      const other = await world();
      await other.said(other.alice, 0);
      for (const step of [async () => undefined, index]) {
        await step();
        expect(await counted()).toEqual([[0, 1]]);
      }
    });

    it('lose what is deleted, indexed or not', async () => {
      const { alice, said, counted, workspace } = await world();
      const early = -1_000_000;
      const range = { from: early, until: 0 };
      await said(alice, early);
      await said(alice, early);
      await index();
      await said(alice, early);
      await said(alice, 0);
      expect(await counted(range)).toEqual([
        [early, 3],
        [0, 1],
      ]);
      await store().deleteMessagesBefore((THIS + early + 1) * MINUTE_MS, 100);
      expect(await counted(range)).toEqual([[0, 1]]);
      await index();
      expect(await counted(range)).toEqual([[0, 1]]);
      await store().removeWorkspace(workspace, NOW);
      expect(await counted(range)).toEqual([]);
    });
  });
}
