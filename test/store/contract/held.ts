import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { HeldMessage } from '../../../packages/relay/src/core/ports/store/held.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { NOW, newWorld } from './world.ts';

type Two = [Agent, Agent];

export function held(store: () => Store): void {
  describe('held messages', () => {
    it('wait in order until they are released or discarded, once', async () => {
      const { workspace, agents, dm, draft } = await newWorld(store(), 2);
      const other = await newWorld(store(), 0);
      const [alice, bob] = agents as Two;
      const conversation = await dm(alice, bob);
      const heldOf = (at: number): HeldMessage => {
        const kept = draft(alice, conversation, [bob], { mentions: [{ id: bob.id, name: bob.name }] });
        return {
          id: kept.id,
          workspaceId: workspace.id,
          senderName: alice.name,
          reason: 'a loop',
          heldAt: NOW + at,
          draft: kept,
          shown: { to: bob.name, group: [alice.name, bob.name] },
        };
      };
      const [late, early, third] = [heldOf(9), heldOf(1), heldOf(10)] as const;
      for (const held of [late, early, third]) expect(await store().holdMessage(held)).toBeUndefined();
      expect(await store().findHeld(late.id)).toEqual(late);
      expect(await store().findHeld('unknown')).toBeUndefined();
      expect(await store().listHeld(workspace.id)).toEqual([early, late, third]);
      expect(await store().listHeld(other.workspace.id)).toEqual([]);
      const released = { outcome: 'released', by: 'owner', at: NOW + 20 } as const;
      await store().settleHeld(early.id, released);
      await store().settleHeld(early.id, { outcome: 'discarded', by: 'another', at: NOW + 21 });
      await store().settleHeld('unknown', released);
      expect(await store().listHeld(workspace.id)).toEqual([late, third]);
      expect(await store().findHeld(early.id)).toEqual({
        ...early,
        draft: { ...early.draft, body: '', mentions: [], attachments: [] },
        settled: released,
      });
      expect((await store().appendMessage(early.draft)).recipients).toEqual([bob.id]);
    });

    it('are deleted with other old messages, unless they still wait', async () => {
      const { workspace, agents, dm, draft } = await newWorld(store(), 2);
      const [alice, bob] = agents as Two;
      const conversation = await dm(alice, bob);
      const hold = async (heldAt: number) => {
        const kept = draft(alice, conversation, [bob]);
        const shown = { to: bob.name };
        const about = { senderName: alice.name, reason: 'a loop', heldAt, draft: kept, shown };
        await store().holdMessage({ id: kept.id, workspaceId: workspace.id, ...about });
        return kept.id;
      };
      const [old, recent, waiting] = [await hold(1), await hold(1), await hold(1)];
      await store().settleHeld(old, { outcome: 'discarded', by: 'owner', at: 2 });
      await store().settleHeld(recent, { outcome: 'discarded', by: 'owner', at: 4 });
      while ((await store().deleteMessagesBefore(4, 100)) > 0);
      expect(await store().findHeld(old)).toBeUndefined();
      expect(await store().findHeld(recent)).toBeDefined();
      expect(await store().findHeld(waiting)).toBeDefined();
    });

    it('are not messages that were stored before', async () => {
      const { workspace, agents, dm, draft } = await newWorld(store(), 2);
      const [alice, bob] = agents as Two;
      const sent = draft(alice, await dm(alice, bob), [bob]);
      const { seq } = await store().appendMessage(sent);
      const again = (body: string): HeldMessage => ({
        id: 'another',
        workspaceId: workspace.id,
        senderName: alice.name,
        reason: 'a loop',
        heldAt: NOW,
        draft: { ...sent, id: 'another', body },
        shown: { to: bob.name },
      });
      expect(await store().holdMessage(again(sent.body))).toMatchObject({
        seq,
        id: sent.id,
        duplicate: 'same',
      });
      expect(await store().holdMessage(again('else'))).toMatchObject({ seq, duplicate: 'other' });
      expect(await store().listHeld(workspace.id)).toEqual([]);
    });
  });
}
