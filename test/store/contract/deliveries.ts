import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Observation } from '../../../packages/relay/src/core/ports/store/deliveries.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { defined, inboxOf, NOW, newWorld } from './world.ts';

type Three = [Agent, Agent, Agent];

export function deliveries(store: () => Store): void {
  const world = async () => {
    const made = await newWorld(store(), 3);
    const [alice, bob, carol] = made.agents as Three;
    const channel = await made.channel();
    const send = (sender: Agent, recipients: Agent[], more: Parameters<typeof made.draft>[3] = {}) =>
      store().appendMessage(made.draft(sender, channel, recipients, more));
    return { ...made, alice, bob, carol, channel, send };
  };
  const note = (recipient: Agent, seq: number, state: Observation['state'], at = NOW): Observation => ({
    recipientId: recipient.id,
    seq,
    state,
    path: undefined,
    at,
  });

  describe('an inbox', () => {
    it('has unread messages, oldest first, page by page', async () => {
      const { alice, bob, send } = await world();
      const sent = [];
      for (let i = 0; i < 5; i++) sent.push((await send(alice, [bob])).seq);
      await store().observe([note(bob, defined(sent[1]), 'read')]);
      const first = (await store().inbox(inboxOf(bob, { limit: 2 }))).map(({ seq }) => seq);
      const rest = await store().inbox(inboxOf(bob, { after: defined(first[1]) }));
      expect([...first, ...rest.map(({ seq }) => seq)]).toEqual([sent[0], sent[2], sent[3], sent[4]]);
    });

    it('returns the newest of all messages in order, with the time of reading', async () => {
      const { alice, bob, send } = await world();
      const sent = [];
      for (let i = 0; i < 5; i++) sent.push((await send(alice, [bob])).seq);
      await store().observe([note(bob, defined(sent[3]), 'read', NOW + 3)]);
      const newest = await store().inbox(inboxOf(bob, { unreadOnly: false, take: 'newest', limit: 3 }));
      expect(newest.map(({ seq, readAt }) => [seq, readAt])).toEqual([
        [sent[2], undefined],
        [sent[3], NOW + 3],
        [sent[4], undefined],
      ]);
    });

    it('can be filtered by sender or conversation', async () => {
      const { alice, bob, carol, channel, dm, draft, send } = await world();
      const fromAlice = await send(alice, [bob]);
      const fromCarol = await send(carol, [bob]);
      const direct = await store().appendMessage(draft(alice, await dm(alice, bob), [bob]));
      const ids = async (more: Parameters<typeof inboxOf>[1]) =>
        (await store().inbox(inboxOf(bob, more))).map(({ id }) => id);
      expect(await ids({ fromId: carol.id })).toEqual([fromCarol.id]);
      expect(await ids({ conversationId: channel.id })).toEqual([fromAlice.id, fromCarol.id]);
      expect(await ids({ fromId: alice.id, conversationId: channel.id })).toEqual([fromAlice.id]);
      expect(await ids({ fromId: alice.id, unreadOnly: false, take: 'newest', limit: 1 })).toEqual([
        direct.id,
      ]);
    });

    it('can be filtered by thread or kind', async () => {
      const { alice, bob, carol, send } = await world();
      const threaded = await send(alice, [bob], { thread: 'build', kind: 'question' });
      const asked = await send(carol, [bob], { kind: 'question' });
      await send(alice, [carol], { thread: 'build' });
      await send(alice, [bob]);
      const ids = async (more: Parameters<typeof inboxOf>[1]) =>
        (await store().inbox(inboxOf(bob, more))).map(({ id }) => id);
      for (const page of [{}, { unreadOnly: false, take: 'newest' as const }]) {
        expect(await ids({ ...page, thread: 'build' })).toEqual([threaded.id]);
        expect(await ids({ ...page, kind: 'question' })).toEqual([threaded.id, asked.id]);
        expect(await ids({ ...page, kind: 'question', thread: 'build', fromId: carol.id })).toEqual([]);
      }
      await store().observe([note(bob, threaded.seq, 'read')]);
      expect(await ids({ thread: 'build' })).toEqual([]);
    });

    it('omits expired messages', async () => {
      const { alice, bob, send } = await world();
      const kept = await send(alice, [bob], { expiresAt: NOW });
      await send(alice, [bob], { expiresAt: NOW - 1 });
      expect((await store().inbox(inboxOf(bob))).map(({ id }) => id)).toEqual([kept.id]);
      expect(await store().countUnread(bob.id, NOW)).toBe(1);
      expect(await store().countUnread(bob.id, NOW + 1)).toBe(0);
    });

    it('belongs to its reader', async () => {
      const { alice, bob, carol, send } = await world();
      await send(alice, [bob]);
      expect(await store().inbox(inboxOf(carol))).toEqual([]);
      expect(await store().countUnread(alice.id, NOW)).toBe(0);
    });
  });

  it('is counted for many agents at once', async () => {
    const { alice, bob, carol, send } = await world();
    await send(alice, [bob, carol]);
    await send(alice, [bob], { expiresAt: NOW - 1 });
    const { seq } = await send(alice, [bob]);
    await send(alice, [bob]);
    await store().observe([note(bob, seq, 'read')]);
    const counts = await store().countUnreadOf([alice.id, bob.id, carol.id], NOW);
    expect(new Map(counts.map(({ recipientId, unread }) => [recipientId, unread]))).toEqual(
      new Map([
        [bob.id, 2],
        [carol.id, 1],
      ]),
    );
    expect(await store().countUnreadOf([], NOW)).toEqual([]);
  });

  describe('an observation', () => {
    it('is stored with its time, and the first one of each state stays', async () => {
      const { alice, bob, send } = await world();
      const { seq } = await send(alice, [bob]);
      expect(await store().observe([{ ...note(bob, seq, 'accepted', NOW + 1), path: 'push' }])).toBe(1);
      expect(await store().observe([{ ...note(bob, seq, 'accepted', NOW + 2), path: 'pty' }])).toBe(0);
      expect(
        await store().observe([note(bob, seq, 'injected', NOW + 3), note(bob, seq, 'turn_started', NOW + 4)]),
      ).toBe(1);
      expect(await store().deliveriesOf(seq)).toEqual([
        {
          recipientId: bob.id,
          recipientName: bob.name,
          seq,
          path: 'push',
          claimedBy: undefined,
          acceptedAt: NOW + 1,
          uncertainAt: undefined,
          injectedAt: NOW + 3,
          turnStartedAt: NOW + 4,
          readAt: undefined,
          readPath: undefined,
          ackedAt: undefined,
        },
      ]);
    });

    it('of acked implies read, without changing the time of reading', async () => {
      const { alice, bob, carol, send } = await world();
      const { seq } = await send(alice, [bob, carol]);
      await store().observe([note(bob, seq, 'read', NOW + 1)]);
      expect(
        await store().observe([note(bob, seq, 'acked', NOW + 2), note(carol, seq, 'acked', NOW + 2)]),
      ).toBe(2);
      const times = (await store().deliveriesOf(seq)).map(({ recipientId, readAt, ackedAt }) => [
        recipientId,
        readAt,
        ackedAt,
      ]);
      expect(new Set(times)).toEqual(
        new Set([
          [bob.id, NOW + 1, NOW + 2],
          [carol.id, NOW + 2, NOW + 2],
        ]),
      );
      expect(await store().countUnread(carol.id, NOW)).toBe(0);
      expect(await store().observe([note(carol, seq, 'read', NOW + 9)])).toBe(0);
    });

    it('of injected makes it no longer unread, and keeps its path separate from the path of reading', async () => {
      const { alice, bob, send } = await world();
      const { seq } = await send(alice, [bob]);
      await store().observe([{ ...note(bob, seq, 'turn_started', NOW + 1), path: 'hook' }]);
      expect(await store().countUnread(bob.id, NOW)).toBe(0);
      expect(await store().inbox(inboxOf(bob))).toEqual([]);
      expect(await store().inbox(inboxOf(bob, { unreadOnly: false }))).toMatchObject([{ seq }]);
      await store().observe([{ ...note(bob, seq, 'read', NOW + 2), path: 'pull' }]);
      expect(await store().deliveriesOf(seq)).toMatchObject([
        { path: 'hook', injectedAt: NOW + 1, turnStartedAt: NOW + 1, readAt: NOW + 2, readPath: 'pull' },
      ]);
    });

    it('counts each changed delivery once, and missing ones never', async () => {
      const { alice, bob, carol, send } = await world();
      const { seq } = await send(alice, [bob]);
      const all = [
        note(bob, seq, 'read'),
        note(bob, seq, 'read'),
        note(bob, seq, 'injected'),
        note(carol, seq, 'read'),
      ];
      expect(await store().observe(all)).toBe(1);
      expect(await store().observe([])).toBe(0);
    });
  });

  describe('a claim', () => {
    const claim = (recipient: Agent, seqs: number[], by: string, at = NOW) =>
      store().claim({ recipientId: recipient.id, seqs, by, path: 'pty', at });
    const unclaimed = async (agent: Agent) =>
      (await store().inbox(inboxOf(agent, { hideClaimed: true }))).map(({ seq }) => seq);

    it('is granted to one of several that ask at the same time', async () => {
      const { alice, bob, send } = await world();
      const seqs = [(await send(alice, [bob])).seq, (await send(alice, [bob])).seq];
      const granted = await Promise.all(['one', 'two', 'three'].map((by) => claim(bob, seqs, by)));
      expect(granted.flat().sort()).toEqual(seqs);
      expect(await unclaimed(bob)).toEqual([]);
    });

    it('is granted again to its receiver, with the time of the first one', async () => {
      const { alice, bob, send } = await world();
      const { seq } = await send(alice, [bob]);
      expect(await claim(bob, [seq], 'one', NOW + 1)).toEqual([seq]);
      expect(await claim(bob, [seq], 'one', NOW + 2)).toEqual([seq]);
      expect(await claim(bob, [seq], 'two', NOW + 3)).toEqual([]);
      expect(await store().deliveriesOf(seq)).toMatchObject([
        { claimedBy: 'one', path: 'pty', acceptedAt: NOW + 1 },
      ]);
      expect(await store().claimsOf(bob.id, [seq])).toEqual([{ seq, claimedBy: 'one' }]);
    });

    it("is not granted for what was read or injected, has expired, or is another agent's", async () => {
      const { alice, bob, carol, send } = await world();
      const read = (await send(alice, [bob])).seq;
      const injected = (await send(alice, [bob])).seq;
      const expired = (await send(alice, [bob], { expiresAt: NOW - 1 })).seq;
      const foreign = (await send(alice, [carol])).seq;
      await store().observe([note(bob, read, 'read'), note(bob, injected, 'injected')]);
      expect(await claim(bob, [read, injected, expired, foreign], 'one')).toEqual([]);
    });

    it('is not granted again after its receiver reported it as uncertain', async () => {
      const { alice, bob, send } = await world();
      const { seq } = await send(alice, [bob]);
      await claim(bob, [seq], 'one');
      await store().observe([note(bob, seq, 'uncertain', NOW + 5)]);
      expect(await claim(bob, [seq], 'one')).toEqual([]);
      expect(await store().inbox(inboxOf(bob, { claimedBy: 'one' }))).toEqual([]);
      expect(await store().deliveriesOf(seq)).toMatchObject([{ uncertainAt: NOW + 5 }]);
    });

    it('can be released without a trace, by the named receivers', async () => {
      const { alice, bob, send } = await world();
      const { seq } = await send(alice, [bob]);
      await claim(bob, [seq], 'one');
      expect(await store().unclaim(bob.id, [seq], ['two'])).toEqual([]);
      expect(await store().unclaim(bob.id, [seq], ['two', 'one'])).toEqual([seq]);
      expect(await store().deliveriesOf(seq)).toMatchObject([
        { claimedBy: undefined, path: undefined, acceptedAt: undefined },
      ]);
      expect(await claim(bob, [seq], 'two')).toEqual([seq]);
      await store().observe([note(bob, seq, 'injected')]);
      expect(await store().unclaim(bob.id, [seq], ['two'])).toEqual([]);
    });

    it('is open until something was observed of it', async () => {
      const { alice, bob, send } = await world();
      const open = await send(alice, [bob]);
      const others = [];
      for (let count = 0; count < 4; count++) others.push((await send(alice, [bob])).seq);
      const [injected = 0, read = 0, uncertain = 0, theirs = 0] = others;
      await claim(bob, [open.seq, injected, read, uncertain], 'one');
      await claim(bob, [theirs], 'two');
      await store().observe([
        note(bob, injected, 'injected'),
        note(bob, read, 'read'),
        note(bob, uncertain, 'uncertain'),
      ]);
      expect(await store().openClaims(bob.id, 'one')).toEqual([
        { id: open.id, senderId: alice.id, path: 'pty' },
      ]);
      expect(await store().openClaims(alice.id, 'one')).toEqual([]);
    });

    it('hides a message from reads of unclaimed messages, or of those not claimed by given receivers', async () => {
      const { alice, bob, send } = await world();
      const mine = (await send(alice, [bob])).seq;
      const theirs = (await send(alice, [bob])).seq;
      const free = (await send(alice, [bob])).seq;
      await claim(bob, [mine], 'one');
      await claim(bob, [theirs], 'two');
      const seqs = async (more: Parameters<typeof inboxOf>[1]) =>
        (await store().inbox(inboxOf(bob, more))).map(({ seq }) => seq);
      expect(await seqs({ hideClaimed: true })).toEqual([free]);
      expect(await seqs({ hideClaimed: ['one'] })).toEqual([theirs, free]);
      expect(await seqs({ hideClaimed: [] })).toEqual([mine, theirs, free]);
      expect(await seqs({ claimedBy: 'two' })).toEqual([theirs]);
      expect(await store().countUnread(bob.id, NOW, ['one'])).toBe(2);
      expect(await store().countUnread(bob.id, NOW)).toBe(3);
    });
  });

  describe('deliveries', () => {
    it('are found by message id for their recipient only', async () => {
      const { alice, bob, carol, send } = await world();
      const first = await send(alice, [bob]);
      const second = await send(alice, [bob, carol]);
      const ids = [second.id, 'unknown', first.id];
      const both = [first, second].map(({ id, seq }) => ({ id, seq, senderId: alice.id, createdAt: NOW }));
      expect(await store().deliveredSeqs(bob.id, ids)).toEqual(both);
      expect(await store().deliveredSeqs(carol.id, ids)).toEqual([both[1]]);
      expect(await store().deliveredSeqs(alice.id, ids)).toEqual([]);
    });

    it('of a message are listed by the names of the recipients', async () => {
      const { alice, bob, carol, send } = await world();
      const { seq } = await send(alice, [carol, bob]);
      const names = (await store().deliveriesOf(seq)).map(({ recipientName }) => recipientName);
      expect(names).toEqual([bob.name, carol.name].sort());
    });

    it('of a message show who has read it, and who has not', async () => {
      const { alice, bob, carol, send } = await world();
      const { seq } = await send(alice, [carol, bob]);
      await store().observe([
        { recipientId: bob.id, seq, state: 'read', path: undefined, at: NOW + 3 },
        { recipientId: carol.id, seq, state: 'accepted', path: 'push', at: NOW + 4 },
      ]);
      expect(await store().readers(seq)).toEqual({
        read: [{ agent: bob.name, at: NOW + 3 }],
        unread: [carol.name],
      });
    });
  });

  it('match a simple model after any mix of sending, reading and expiring', async () => {
    const step = fc.record({
      from: fc.nat(2),
      to: fc.nat(2),
      expiresIn: fc.option(fc.integer({ min: -1, max: 1 }), { nil: undefined }),
      // Which of the messages so far its recipient reads after this one was sent.
      reads: fc.option(fc.nat(100), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.nat(20), async (steps, limit) => {
        const { agents, send } = await world();
        const model: Array<{
          seq: number;
          from: Agent;
          to: Agent;
          expiresAt: number | undefined;
          read: boolean;
        }> = [];
        for (const { from, to, expiresIn, reads } of steps) {
          const [sender, recipient] = [defined(agents[from]), defined(agents[to])];
          const expiresAt = expiresIn === undefined ? undefined : NOW + expiresIn;
          const { seq } = await send(sender, [recipient], { expiresAt });
          model.push({ seq, from: sender, to: recipient, expiresAt, read: false });
          const one = reads === undefined ? undefined : defined(model[reads % model.length]);
          if (!one) continue;
          expect(await store().observe([note(one.to, one.seq, 'read')])).toBe(one.read ? 0 : 1);
          one.read = true;
        }
        for (const agent of agents) {
          const visible = model.filter(({ to, expiresAt }) => to === agent && (expiresAt ?? NOW) >= NOW);
          const unread = visible.filter(({ read }) => !read);
          const seqs = async (more: Parameters<typeof inboxOf>[1]) =>
            (await store().inbox(inboxOf(agent, more))).map(({ seq }) => seq);
          expect(await seqs({ limit: limit + 1 })).toEqual(unread.slice(0, limit + 1).map(({ seq }) => seq));
          expect(await seqs({ unreadOnly: false, take: 'newest', limit: limit + 1 })).toEqual(
            visible.slice(-limit - 1).map(({ seq }) => seq),
          );
          expect(await store().countUnread(agent.id, NOW)).toBe(unread.length);
        }
      }),
      { numRuns: 20 },
    );
  });
}
