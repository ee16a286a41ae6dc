import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { NOW, newWorld } from './world.ts';

type Three = [Agent, Agent, Agent];

export function conversations(store: () => Store): void {
  const world = async () => {
    const made = await newWorld(store(), 3);
    const [alice, bob, carol] = made.agents as Three;
    return { ...made, alice, bob, carol, workspaceId: made.workspace.id };
  };

  describe('conversations', () => {
    it('are created once per key, even if requested twice at the same time', async () => {
      const { workspace } = await newWorld(store(), 0);
      const wanted = { workspaceId: workspace.id, kind: 'channel' as const, key: '#general', createdAt: NOW };
      const [first, second] = await Promise.all([
        store().ensureConversation(wanted),
        store().ensureConversation(wanted),
      ]);
      expect(first).toEqual({
        id: expect.any(Number),
        workspaceId: workspace.id,
        kind: 'channel',
        key: '#general',
      });
      expect(second).toEqual(first);
      expect(await store().ensureConversation(wanted)).toEqual(first);
      expect(await store().findConversation(workspace.id, '#general')).toEqual(first);
      expect(await store().findConversation(workspace.id, '#other')).toBeUndefined();
    });
  });

  describe('the conversations of an agent', () => {
    it('are its DMs and groups, newest first, with the last message and unread counts', async () => {
      const { alice, bob, carol, dm, group, newChannel, broadcast, send } = await world();
      await send(bob, await newChannel('build', alice), 'members');
      await send(bob, await broadcast(), 'workspace');
      await dm(alice, carol);
      const direct = await dm(alice, bob);
      const together = await group(alice, bob, carol);
      await send(bob, direct, [alice]);
      const first = await send(bob, direct, [alice], { expiresAt: NOW - 1 });
      const second = await send(carol, together, [alice, bob]);
      const shown = async (agent: Agent, limit = 10) =>
        (await store().directConversations(agent.id, limit, NOW)).map(
          ({ conversationId, kind, participants, last, unread }) => [
            conversationId,
            kind,
            participants,
            last.seq,
            unread,
          ],
        );
      const others = [bob.name, carol.name].sort();
      expect(await shown(alice)).toEqual([
        [together.id, 'group', others, second.seq, 1],
        [direct.id, 'dm', [bob.name], first.seq, 1],
      ]);
      const answer = await send(alice, direct, [bob]);
      expect(await shown(alice, 1)).toEqual([[direct.id, 'dm', [bob.name], answer.seq, 1]]);
      expect(await shown(carol)).toEqual([
        [together.id, 'group', [alice.name, bob.name].sort(), second.seq, 0],
      ]);
    });

    it('with an agent of another project are one conversation, although each project has a half', async () => {
      const { alice, dm, send } = await world();
      const other = await world();
      await send(alice, await other.dm(alice, other.bob), [other.bob], { workspaceId: other.workspaceId });
      const answer = await send(other.bob, await dm(alice, other.bob), [alice]);
      const summaries = await store().directConversations(alice.id, 10, NOW);
      expect(summaries.map(({ participants, last, unread }) => [participants, last.seq, unread])).toEqual([
        [[other.bob.name], answer.seq, 1],
      ]);
    });
  });
}
