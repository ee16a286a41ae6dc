import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { HistoryQuery } from '../../../packages/relay/src/core/ports/store/history.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { defined, NOW, newWorld } from './world.ts';

type Three = [Agent, Agent, Agent];

export function history(store: () => Store): void {
  const world = async () => {
    const made = await newWorld(store(), 3);
    const [alice, bob, carol] = made.agents as Three;
    const workspaceId = made.workspace.id;
    const seqs = async (viewer: Agent | undefined, more: Partial<HistoryQuery> = {}) =>
      (await store().history({ workspaceId, viewer: viewer?.id, limit: 100, ...more })).map(({ seq }) => seq);
    return { ...made, alice, bob, carol, workspaceId, seqs };
  };

  // Everything must be the same before and after messages are indexed.
  describe.each([
    ['not indexed yet', async () => undefined],
    [
      'indexed',
      async () => {
        while ((await store().indexForSearch(1000)) > 0);
      },
    ],
  ])('history, %s', (_, index) => {
    it('has what an agent sent, what it got, and what is in its channels', async () => {
      const { alice, bob, carol, dm, newChannel, send, seqs } = await world();
      const general = await newChannel('general');
      const build = await newChannel('build', alice);
      const sent = await send(alice, await dm(alice, bob), [bob]);
      const foreign = await send(bob, await dm(bob, carol), [carol]);
      const posted = await send(alice, build, 'members');
      const open = await send(carol, general, []);
      await index();
      expect(await seqs(undefined)).toEqual([sent.seq, foreign.seq, posted.seq, open.seq]);
      expect(await seqs(alice)).toEqual([sent.seq, posted.seq, open.seq]);
      expect(await seqs(bob)).toEqual([sent.seq, foreign.seq, open.seq]);
      expect(await seqs(carol)).toEqual([foreign.seq, open.seq]);
      await store().addMember(build.id, carol.id, NOW);
      expect(await seqs(carol)).toEqual([foreign.seq, posted.seq, open.seq]);
      const seen = await send(alice, build, 'members');
      await index();
      await store().removeMember(build.id, carol.id);
      expect(await seqs(carol)).toEqual([foreign.seq, open.seq, seen.seq]);
    });

    it('goes back and forth page by page', async () => {
      const { alice, bob, dm, send, seqs } = await world();
      const conversation = await dm(alice, bob);
      const sent: number[] = [];
      for (let i = 0; i < 5; i++)
        sent.push((await send(i % 2 ? bob : alice, conversation, [i % 2 ? alice : bob])).seq);
      await index();
      for (const viewer of [undefined, alice]) {
        expect(await seqs(viewer, { limit: 2 })).toEqual(sent.slice(3));
        expect(await seqs(viewer, { limit: 2, before: defined(sent[3]) })).toEqual(sent.slice(1, 3));
        expect(await seqs(viewer, { limit: 2, after: 0 })).toEqual(sent.slice(0, 2));
        expect(await seqs(viewer, { limit: 2, after: defined(sent[1]) })).toEqual(sent.slice(2, 4));
        expect(await seqs(viewer, { limit: 2, after: defined(sent[0]), before: defined(sent[4]) })).toEqual(
          sent.slice(2, 4),
        );
      }
    });

    it('can be filtered by conversation, agent, thread, kind, time, and all of them', async () => {
      const { alice, bob, carol, dm, newChannel, send, seqs } = await world();
      const build = await newChannel('build', alice, bob);
      const inThread = await send(alice, build, 'members', { thread: 'red', createdAt: NOW + 5 });
      const late = await send(bob, build, 'members', { createdAt: NOW + 9 });
      const direct = await send(carol, await dm(carol, alice), [alice], {
        thread: 'red',
        kind: 'question',
        createdAt: NOW + 5,
      });
      const early = await send(alice, await dm(alice, bob), [bob], { createdAt: NOW });
      await index();
      for (const viewer of [undefined, alice]) {
        expect(await seqs(viewer, { conversationId: build.id })).toEqual([inThread.seq, late.seq]);
        expect(await seqs(viewer, { involvingId: bob.id })).toEqual([inThread.seq, late.seq, early.seq]);
        expect(await seqs(viewer, { involvingId: carol.id })).toEqual([direct.seq]);
        expect(await seqs(viewer, { thread: 'red' })).toEqual([inThread.seq, direct.seq]);
        expect(await seqs(viewer, { kind: 'question' })).toEqual([direct.seq]);
        expect(await seqs(viewer, { kind: 'question', involvingId: bob.id })).toEqual([]);
        expect(await seqs(viewer, { since: NOW + 6 })).toEqual([late.seq]);
        expect(await seqs(viewer, { since: NOW + 5, conversationId: build.id, thread: 'red' })).toEqual([
          inThread.seq,
        ]);
        expect(await seqs(viewer, { involvingId: carol.id, conversationId: build.id })).toEqual([]);
        expect(await seqs(viewer, { involvingId: bob.id, since: NOW + 1, limit: 1 })).toEqual([late.seq]);
      }
      expect(await seqs(carol, { conversationId: build.id })).toEqual([]);
      expect(await seqs(carol, { thread: 'red' })).toEqual([direct.seq]);
      expect(await seqs(carol, { involvingId: alice.id })).toEqual([direct.seq]);
      expect(await seqs(carol, { involvingId: bob.id })).toEqual([]);
    });

    it('has what an agent wrote to another workspace, for that agent only', async () => {
      const { alice, bob, dm, send, seqs } = await world();
      const other = await world();
      const there = await other.dm(alice, other.bob);
      const thread = 'red';
      const inOther = { workspaceId: other.workspaceId, thread };
      const asked = await send(alice, there, [other.bob], inOther);
      const answer = await send(other.bob, await dm(alice, other.bob), [alice], { thread });
      const thanks = await send(alice, there, [other.bob], inOther);
      const all = [asked.seq, answer.seq, thanks.seq];
      await index();
      for (const more of [{}, { thread }, { after: 0 }, { involvingId: alice.id }]) {
        expect(await seqs(alice, more)).toEqual(all);
      }
      expect(await other.seqs(other.bob, { thread })).toEqual(all);
      expect(await seqs(undefined)).toEqual([answer.seq]);
      expect(await other.seqs(undefined)).toEqual([asked.seq, thanks.seq]);
      expect(await other.seqs(undefined, { involvingId: alice.id })).toEqual([asked.seq, thanks.seq]);
      expect(await seqs(bob)).toEqual([]);
      expect(await seqs(bob, { thread })).toEqual([]);
      expect(await other.seqs(other.carol, { thread })).toEqual([]);
      expect(await seqs(alice, { involvingId: bob.id })).toEqual([]);
    });
  });

  describe('a message', () => {
    it('is visible to its sender, its recipients, the members of its channel and the owner', async () => {
      const { alice, bob, carol, dm, newChannel, send, workspaceId } = await world();
      const build = await newChannel('build', carol);
      const direct = await send(alice, await dm(alice, bob), [bob]);
      const posted = await send(alice, build, []);
      const sees = async (viewer: Agent | undefined, id: string) =>
        (await store().visibleMessage(viewer?.id, workspaceId, id)) !== undefined;
      const viewers = [undefined, alice, bob, carol];
      const seen = async (id: string) => Promise.all(viewers.map((viewer) => sees(viewer, id)));
      expect(await seen(direct.id)).toEqual([true, true, true, false]);
      expect(await seen(posted.id)).toEqual([true, true, false, true]);
      expect(await seen('unknown')).toEqual([false, false, false, false]);
    });

    it('from another project is visible to both sides, and to no other owner', async () => {
      const { alice, bob, send, workspaceId } = await world();
      const other = await world();
      const { id } = await send(alice, await other.dm(alice, other.bob), [other.bob], {
        workspaceId: other.workspaceId,
      });
      const from = { senderWorkspaceId: workspaceId, workspaceId: other.workspaceId, senderName: alice.name };
      expect(await store().visibleMessage(alice.id, workspaceId, id)).toMatchObject(from);
      expect(await store().visibleMessage(other.bob.id, other.workspaceId, id)).toMatchObject(from);
      expect(await store().visibleMessage(undefined, other.workspaceId, id)).toBeDefined();
      expect(await store().visibleMessage(undefined, workspaceId, id)).toBeUndefined();
      expect(await store().visibleMessage(bob.id, workspaceId, id)).toBeUndefined();
      expect(await store().visibleMessage(other.carol.id, other.workspaceId, id)).toBeUndefined();
    });
  });
}
