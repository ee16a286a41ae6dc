import { RelayError } from '@agent-relay/protocol';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Invocation } from '../../../packages/relay/src/core/ports/store/invocations.ts';
import { MAX_PAGE_BYTES } from '../../../packages/relay/src/core/ports/store/messages.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { NOW, newWorld } from './world.ts';

export function invocations(store: () => Store): void {
  const KEPT = { invocations: 100, invocationBytes: 1_000_000 };

  async function newVotes() {
    const { workspace, agents } = await newWorld(store(), 3);
    const [alice, bob, carol] = agents as [Agent, Agent, Agent];
    const vote = (id: string, more: Partial<Invocation> = {}): Invocation => ({
      workspaceId: workspace.id,
      id,
      action: 'review.vote',
      owner: bob.name,
      ownerId: bob.id,
      caller: { type: 'agent', id: String(alice.id), name: alice.name },
      callerId: alice.id,
      account: `agent ${alice.id}`,
      input: { 'für “wen”': [1, null] },
      node: `node of ${workspace.name}`,
      status: 'invoked',
      invokedAt: NOW,
      endedAt: undefined,
      result: undefined,
      error: undefined,
      ...more,
    });
    const record = {
      workspaceId: workspace.id,
      at: NOW,
      actor: alice.name,
      action: 'action.invoked',
      subject: 'review.vote',
      detail: undefined,
    };
    const begin = (invocation: Invocation) => store().beginInvocation(invocation, record);
    const end = (id: string, result: unknown, endedAt = NOW + 1) =>
      store().endInvocation({ ...vote(id), status: 'completed', endedAt, result }, record, KEPT);
    let time = NOW;
    /** One after the other; returns the ids that are listed then. */
    const perform = async (kept: Partial<typeof KEPT>, ...votes: Invocation[]) => {
      for (const one of votes) {
        time += 1;
        const invocation = { ...one, invokedAt: time };
        await begin(invocation);
        const ended = { ...invocation, status: 'completed', endedAt: time } as const;
        await store().endInvocation(ended, record, { ...KEPT, ...kept });
      }
      return (await store().listInvocations(workspace.id, undefined, 10)).map(({ id }) => id);
    };
    return { workspace, alice, bob, carol, vote, begin, end, perform };
  }

  describe('invocations', () => {
    it('start once, and keep their first end', async () => {
      const { workspace, vote, begin, end } = await newVotes();
      expect(await begin(vote('one'))).toBeUndefined();
      expect(await begin(vote('one', { action: 'other' }))).toEqual(vote('one'));
      await end('one', { ok: ['yes'] });
      await end('one', 'again');
      expect(await store().findInvocation(workspace.id, 'one')).toEqual(
        vote('one', { status: 'completed', endedAt: NOW + 1, result: { ok: ['yes'] } }),
      );
      const elsewhere = await newVotes();
      expect(await elsewhere.begin(elsewhere.vote('one'))).toBeUndefined();
      expect((await store().listAudit(workspace.id, 10)).map(({ action }) => action)).toEqual([
        'action.invoked',
        'action.invoked',
      ]);
    });

    it('are listed newest first, for those who invoked or perform them', async () => {
      const { workspace, alice, bob, carol, vote, begin } = await newVotes();
      await begin(vote('early'));
      await begin(vote('late', { invokedAt: NOW + 5 }));
      await begin(vote('owners', { invokedAt: NOW + 9, callerId: undefined, ownerId: undefined }));
      const listed = async (agentId: number | undefined, limit = 10) =>
        (await store().listInvocations(workspace.id, agentId, limit)).map(({ id }) => id);
      expect(await listed(undefined)).toEqual(['owners', 'late', 'early']);
      expect(await listed(undefined, 1)).toEqual(['owners']);
      for (const { id } of [alice, bob]) expect(await listed(id)).toEqual(['late', 'early']);
      expect(await listed(carol.id)).toEqual([]);
    });

    it('of a stopped daemon are lost, those of others are not', async () => {
      const { workspace, vote, begin, end } = await newVotes();
      await begin(vote('open'));
      await begin(vote('ended'));
      await end('ended', 1);
      await begin(vote('other', { node: 'another' }));
      const error = new RelayError('CalleeGone').toPayload();
      expect(await store().loseInvocations(vote('open').node, NOW + 7, error)).toBe(1);
      const found = async (id: string) => (await store().findInvocation(workspace.id, id))?.status;
      expect(await store().findInvocation(workspace.id, 'open')).toEqual(
        vote('open', { status: 'unknown', endedAt: NOW + 7, error }),
      );
      expect([await found('ended'), await found('other')]).toEqual(['completed', 'invoked']);
    });

    it('are kept up to a number per account, not counting open ones', async () => {
      const { carol, vote, begin, perform } = await newVotes();
      await begin(vote('open', { invokedAt: 1 }));
      const hers = vote('hers', { account: `agent ${carol.id}` });
      const ofAnotherCaller = vote('v3', { callerId: carol.id });
      const left = await perform({ invocations: 2 }, hers, vote('v1'), vote('v2'), ofAnotherCaller);
      expect(left).toEqual(['v3', 'v2', 'hers', 'open']);
    });

    it('are kept while their inputs and results are not too large in total', async () => {
      const { carol, vote, perform } = await newVotes();
      const half = 'ü'.repeat(25);
      const large = (id: string, more = {}) => vote(id, { input: {}, result: half, ...more });
      const hers = large('hers', { account: `agent ${carol.id}` });
      const left = await perform({ invocationBytes: 110 }, hers, large('v1'), large('v2'), large('v3'));
      expect(left).toEqual(['v3', 'v2', 'hers']);
      const byInput = vote('v4', { input: { half }, result: 1 });
      expect(await perform({ invocationBytes: 110 }, byInput)).toEqual(['v4', 'hers']);
    });

    it('are listed until the page is full', async () => {
      const { vote, perform } = await newVotes();
      const large = (id: string) => vote(id, { input: { id }, result: 'x'.repeat(MAX_PAGE_BYTES / 2) });
      const kept = { invocationBytes: 10 * MAX_PAGE_BYTES };
      expect(await perform(kept, large('v1'), large('v2'), large('v3'))).toEqual(['v3', 'v2']);
      const huge = vote('huge', { input: { text: 'x'.repeat(2 * MAX_PAGE_BYTES) } });
      expect(await perform(kept, large('v4'), huge)).toEqual(['huge']);
    });

    it('are deleted with other old records, and with their workspace', async () => {
      const { workspace, vote, begin, end } = await newVotes();
      for (const id of ['old', 'recent', 'open']) await begin(vote(id, { invokedAt: 1 }));
      await end('old', 1, 2);
      await end('recent', 1, 4);
      while ((await store().deleteMessagesBefore(4, 100)) > 0);
      const left = async () =>
        (await store().listInvocations(workspace.id, undefined, 10)).map(({ id }) => id).sort();
      expect(await left()).toEqual(['open', 'recent']);
      await store().removeWorkspace(workspace, NOW);
      expect(await left()).toEqual([]);
    });
  });
}
