import type { AttachmentInfo } from '@agent-relay/protocol';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { MessageDraft } from '../../../packages/relay/src/core/ports/store/messages.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { agentOf, defined, inboxOf, NOW, newWorld, unique } from './world.ts';

type Three = [Agent, Agent, Agent];

const file = (id: string): AttachmentInfo => ({
  id,
  name: 'log.txt',
  mediaType: 'text/plain',
  size: 3,
  sha256: 'abc',
});

export function messages(store: () => Store): void {
  const world = async () => {
    const made = await newWorld(store(), 3);
    const [alice, bob, carol] = made.agents as Three;
    return { ...made, alice, bob, carol, direct: await made.dm(alice, bob), channel: await made.channel() };
  };

  describe('messages', () => {
    it('are read as they were sent', async () => {
      const { alice, bob, direct, draft, workspace } = await world();
      const sent = draft(alice, direct, [bob], {
        unverified: true,
        body: 'line one\nline “two” 🦊\ttab',
        thread: 'build',
        replyTo: 'message-0',
        kind: 'question',
        importance: 'urgent',
        awaitsReply: true,
        expiresAt: NOW + 1,
        mentions: [{ id: bob.id, name: bob.name }],
        attachments: [{ id: 'file-1', name: 'a.txt', mediaType: 'text/plain', size: 1, sha256: 'abc' }],
      });
      const appended = await store().appendMessage(sent);
      expect(appended).toEqual({
        seq: expect.any(Number),
        id: sent.id,
        thread: 'build',
        recipients: [bob.id],
        duplicate: 'no',
      });
      const { audience: _, clientId: __, ...content } = sent;
      expect(await store().visibleMessage(undefined, workspace.id, sent.id)).toEqual({
        ...content,
        seq: appended.seq,
        senderName: alice.name,
        senderWorkspaceId: workspace.id,
        mentions: [bob.name],
        redactedAt: undefined,
        channelName: undefined,
        conversationKind: 'dm',
        conversationKey: direct.key,
        recipientName: bob.name,
      });
    });

    it('cannot be found from another workspace', async () => {
      const { alice, bob, direct, draft } = await world();
      const other = await world();
      const { id } = await store().appendMessage(draft(alice, direct, [bob]));
      expect(await store().visibleMessage(undefined, other.workspace.id, id)).toBeUndefined();
      expect(await store().lastSeq(other.workspace.id)).toBe(0);
    });

    it('name a recipient only in a direct message', async () => {
      const { alice, bob, carol, channel, draft, workspace } = await world();
      const { id } = await store().appendMessage(draft(alice, channel, [bob, carol]));
      expect((await store().visibleMessage(undefined, workspace.id, id))?.recipientName).toBeUndefined();
    });

    it('are numbered in the order of the calls', async () => {
      const { alice, bob, carol, direct, channel, draft } = await world();
      const drafts = Array.from({ length: 200 }, (_, i) =>
        i % 3 === 0 ? draft(bob, channel, [alice, carol]) : draft(alice, direct, [bob]),
      );
      const appended = await Promise.all(drafts.map((each) => store().appendMessage(each)));
      const seqs = appended.map(({ seq }) => seq);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
      expect(new Set(seqs).size).toBe(200);
    });

    it('are listed after a number, page by page, up to the last', async () => {
      const { alice, bob, direct, draft, workspace } = await world();
      const sent = await Promise.all(
        Array.from({ length: 5 }, () => store().appendMessage(draft(alice, direct, [bob]))),
      );
      const page = (after: number) => store().listMessages({ workspaceId: workspace.id, after, limit: 2 });
      const first = await page(0);
      const second = await page(defined(first[1]).seq);
      const third = await page(defined(second[1]).seq);
      expect([...first, ...second, ...third].map(({ id }) => id)).toEqual(sent.map(({ id }) => id));
      expect(await store().lastSeq(workspace.id)).toBe(defined(sent[4]).seq);
    });

    it('keep text that is difficult for a database, and replace what none can store', async () => {
      const { alice, bob, direct, draft, workspace } = await world();
      const bodies = [
        "'; DROP TABLE messages; --",
        '{{text}} ? $1 \\',
        '{"a":[1]}',
        'null',
        '🏴‍☠️ é e\u0301 \u202e',
        'a\0b\ud83ec',
      ];
      for (const body of bodies) {
        const sent = draft(alice, direct, [bob], { body });
        const { id } = await store().appendMessage(sent);
        const kept = body.replace(/\0|\ud83e/, '\ufffd').toWellFormed();
        expect((await store().visibleMessage(undefined, workspace.id, id))?.body).toBe(kept);
        expect((await store().appendMessage(sent)).duplicate).toBe('same');
      }
      expect(await store().deliveredSeqs(bob.id, ['\0', '\ud83e'])).toEqual([]);
    });
  });

  describe('a repeated client id', () => {
    it('is the same message when the content is the same', async () => {
      const { alice, bob, direct, draft } = await world();
      const original = draft(alice, direct, [bob], { thread: 'given', body: '🦊 again' });
      const first = await store().appendMessage(original);
      const retry = { ...original, id: unique('message'), createdAt: NOW + 1 };
      expect(await store().appendMessage(retry)).toEqual({ ...first, recipients: [], duplicate: 'same' });
      expect(await store().hasSent(alice.id, original.clientId)).toBe(true);
      expect(await store().hasSent(bob.id, original.clientId)).toBe(false);
      expect(await store().inbox(inboxOf(bob))).toHaveLength(1);
    });

    it('is the same question, although its thread is its own id, and the same file, although uploaded again', async () => {
      const { alice, bob, direct, draft } = await world();
      const asked = (id: string) => ({ id, thread: id, attachments: [file(unique('att'))] });
      const original = draft(alice, direct, [bob], asked(unique('message')));
      const first = await store().appendMessage(original);
      const retry = { ...original, ...asked(unique('message')) };
      expect(await store().appendMessage(retry)).toEqual({ ...first, recipients: [], duplicate: 'same' });
    });

    it('is refused when the content differs', async () => {
      const { alice, bob, direct, channel, draft, workspace } = await world();
      const original = draft(alice, direct, [bob], {
        thread: 'given',
        expiresAt: NOW + 1000,
        attachments: [file('att_1')],
      });
      const first = await store().appendMessage(original);
      const changes: Array<Partial<MessageDraft>> = [
        { body: 'other' },
        { kind: 'status' },
        { importance: 'high' },
        { replyTo: 'message-0' },
        { conversationId: channel.id },
        { thread: 'another' },
        { thread: undefined },
        { expiresAt: NOW + 2000 },
        { expiresAt: undefined },
        { attachments: [] },
        { attachments: [{ ...file('att_1'), sha256: 'another' }] },
        { attachments: [file('att_1'), file('att_1')] },
      ];
      for (const change of changes) {
        const again = await store().appendMessage({ ...original, id: unique('message'), ...change });
        expect(again).toEqual({ ...first, recipients: [], duplicate: 'other' });
      }
      expect(await store().listMessages({ workspaceId: workspace.id, after: 0, limit: 10 })).toHaveLength(1);
    });

    it('is recognised inside one batch', async () => {
      const { alice, bob, direct, draft } = await world();
      const original = draft(alice, direct, [bob]);
      const again = (body: string) => ({ ...original, id: unique('message'), body });
      const outcomes = await Promise.all(
        [original, again('hello'), again('other'), draft(alice, direct, [bob])].map((each) =>
          store().appendMessage(each),
        ),
      );
      expect(outcomes.map(({ duplicate }) => duplicate)).toEqual(['no', 'same', 'other', 'no']);
      expect(defined(outcomes[1]).seq).toBe(defined(outcomes[0]).seq);
      expect(await store().inbox(inboxOf(bob))).toHaveLength(2);
    });

    it('is another message when another agent uses it', async () => {
      const { alice, bob, direct, draft } = await world();
      const original = draft(alice, direct, [bob]);
      await store().appendMessage(original);
      const other = { ...draft(bob, direct, [alice]), clientId: original.clientId };
      expect((await store().appendMessage(other)).duplicate).toBe('no');
    });
  });

  describe('a message for the workspace', () => {
    it('is for every agent at the time of the commit, except the sender and removed ones', async () => {
      const { alice, bob, carol, workspace, draft } = await world();
      await world();
      const conversation = await store().ensureConversation({
        workspaceId: workspace.id,
        kind: 'broadcast',
        key: '*',
        createdAt: NOW,
      });
      await store().createAgent({ ...agentOf(workspace.id), type: 'system' });
      const toAll = () =>
        store().appendMessage(draft(alice, conversation, [], { audience: { kind: 'workspace' } }));
      const [before, , late, after] = await Promise.all([
        toAll(),
        store().removeAgent(carol.id, NOW),
        store().createAgent(agentOf(workspace.id)),
        toAll(),
      ]);
      expect(before.recipients).toEqual([bob.id, carol.id]);
      expect(after.recipients).toEqual([bob.id, defined(late).id]);
      expect((await store().deliveriesOf(after.seq)).map(({ recipientId }) => recipientId).sort()).toEqual(
        [...after.recipients].sort(),
      );
    });
  });

  describe('a message for a channel', () => {
    it('is for its members at the time of the commit, except the sender', async () => {
      const { alice, bob, carol, newChannel, draft } = await world();
      const conversation = await newChannel('build', alice, bob);
      const post = () =>
        store().appendMessage(draft(alice, conversation, [], { audience: { kind: 'members' } }));
      const [before, , after, , late] = await Promise.all([
        post(),
        store().addMember(conversation.id, carol.id, NOW),
        post(),
        store().removeMember(conversation.id, bob.id),
        post(),
      ]);
      expect(before.recipients).toEqual([bob.id]);
      expect(after.recipients).toEqual([bob.id, carol.id]);
      expect(late.recipients).toEqual([carol.id]);
      await store().removeAgent(carol.id, NOW);
      expect((await post()).recipients).toEqual([]);
      const { id } = await post();
      expect(await store().visibleMessage(undefined, alice.workspaceId, id)).toMatchObject({
        channelName: 'build',
        conversationKey: '#build',
      });
    });
  });

  describe('mentions', () => {
    it('mark the deliveries of those mentioned, for any kind of recipient', async () => {
      const { alice, bob, carol, newChannel, broadcast, dm, draft } = await world();
      const mentions = [{ id: bob.id, name: bob.name }];
      const drafts = [
        draft(alice, await newChannel('build', bob, carol), [], { audience: { kind: 'members' }, mentions }),
        draft(alice, await broadcast(), [], { audience: { kind: 'workspace' }, mentions }),
        draft(alice, await dm(alice, bob), [bob], { mentions }),
      ];
      const ids = drafts.map(({ id }) => id);
      for (const each of drafts) await store().appendMessage(each);
      await store().appendMessage(draft(alice, await broadcast(), [], { audience: { kind: 'workspace' } }));
      const mentioned = await store().inbox(inboxOf(bob, { mentioned: true }));
      expect(mentioned.map(({ id }) => id)).toEqual(ids);
      expect(mentioned[0]?.mentions).toEqual([bob.name]);
      expect(await store().inbox(inboxOf(carol, { mentioned: true }))).toEqual([]);
    });
  });

  describe('the answer to an awaited message', () => {
    it('is the first in the thread or to that id, from that agent to the one who waits', async () => {
      const { alice, bob, carol, direct, channel, draft } = await world();
      const asked = await store().appendMessage(draft(alice, direct, [bob], { thread: 'await-1' }));
      const wait = (after = asked.seq) =>
        store().findReply({
          senderId: bob.id,
          recipientId: alice.id,
          after,
          question: { seq: asked.seq, id: asked.id, thread: 'await-1' },
        });
      const send = (sender: Agent, recipient: Agent, more: Partial<MessageDraft>) =>
        store().appendMessage(draft(sender, channel, [recipient], more));

      await send(bob, alice, { thread: 'another' });
      const outside = await send(bob, alice, {});
      await send(carol, alice, { thread: 'await-1' });
      await send(bob, carol, { thread: 'await-1' });
      expect(await wait()).toBeUndefined();

      const byId = await send(bob, alice, { replyTo: asked.id });
      const byThread = await send(bob, alice, { thread: 'await-1' });
      expect(await wait()).toMatchObject({ id: byId.id, seq: byId.seq, senderName: bob.name });
      expect((await wait(byId.seq))?.id).toBe(byThread.id);
      expect(await wait(byThread.seq)).toBeUndefined();

      const note = (answer: { seq: number }, question: { seq: number }) =>
        store().noteAnswer({ recipientId: alice.id, seq: answer.seq, question: question.seq });
      const another = await store().appendMessage(draft(alice, direct, [bob]));
      await note(byId, another);
      expect((await wait())?.id).toBe(byThread.id);
      await note(byThread, asked);
      await note(byThread, another);
      expect((await wait())?.id).toBe(byThread.id);
      await note(outside, asked);
      expect((await wait())?.id).toBe(outside.id);
    });
  });

  describe('a write that fails', () => {
    it('does not affect other writes, and stores nothing', async () => {
      const { alice, bob, carol, direct, draft, workspace } = await world();
      const taken = draft(alice, direct, [bob]);
      const outcomes = await Promise.allSettled([
        store().appendMessage(taken),
        store().appendMessage(draft(alice, direct, [carol, bob, bob])),
        store().appendMessage(draft(alice, direct, [bob], { id: taken.id })),
        store().createAgent(agentOf(2 ** 40)),
        store().updateAgent(alice.id, { task: 'kept' }),
        store().appendMessage(draft(alice, direct, [bob])),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ name: 'RelayError', code: 'Internal' });
      }
      expect(await store().listMessages({ workspaceId: workspace.id, after: 0, limit: 10 })).toHaveLength(2);
      expect(await store().countUnread(bob.id, NOW)).toBe(2);
      expect(await store().countUnread(carol.id, NOW)).toBe(0);
      expect((await store().findAgent(workspace.id, alice.name))?.task).toBe('kept');
    });
  });
}
