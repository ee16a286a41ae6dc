import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { attachmentOf, bytes } from './attachments.ts';
import { ANY_NUMBER, defined, inboxOf, NOW, newWorld } from './world.ts';

type Two = [Agent, Agent];

export function deletion(store: () => Store): void {
  const world = async () => {
    const made = await newWorld(store(), 2);
    const [alice, bob] = made.agents as Two;
    const direct = await made.dm(alice, bob);
    const upload = async (content = bytes(100)) => {
      const attachment = attachmentOf(alice, content);
      await store().addAttachment(attachment, content);
      const { id, name, mediaType, size, sha256 } = attachment;
      return { id, name, mediaType, size, sha256 };
    };
    const contentOf = async (sha256: string) => (await store().readContent(sha256, 0, 1000)).length;
    const find = async (text: string) =>
      (await store().search({ workspaceId: made.workspace.id, viewer: undefined, text, limit: 10 })).map(
        ({ message }) => message.id,
      );
    return { ...made, alice, bob, direct, upload, contentOf, find };
  };

  describe('redacting a message', () => {
    it('keeps the record of the message, without its content', async () => {
      const { alice, bob, direct, draft, find, upload, contentOf, workspace } = await world();
      const file = await upload();
      const secret = draft(alice, direct, [bob], {
        body: `the password of ${bob.name} is swordfish`,
        mentions: [{ id: bob.id, name: bob.name }],
        attachments: [file],
      });
      const { seq, id } = await store().appendMessage(secret);
      expect(await find('swordfish')).toEqual([id]);
      expect(await store().redactMessage(seq, NOW + 7)).toBe(true);
      expect(await store().redactMessage(seq, NOW + 8)).toBe(false);
      expect(await store().visibleMessage(undefined, workspace.id, id)).toMatchObject({
        body: '',
        mentions: [],
        attachments: [],
        redactedAt: NOW + 7,
        senderName: alice.name,
        recipientName: bob.name,
      });
      expect(await find('swordfish')).toEqual([]);
      expect(await contentOf(file.sha256)).toBe(0);
      expect(await store().visibleAttachment(alice.id, workspace.id, file.id)).toBeUndefined();
      expect(await store().inbox(inboxOf(bob, { mentioned: true }))).toEqual([]);
      expect(await store().inbox(inboxOf(bob))).toHaveLength(1);
      expect((await store().appendMessage(secret)).duplicate).toBe('same');
    });

    it('keeps it out of an index that did not have it yet', async () => {
      const { alice, bob, direct, draft, find } = await world();
      const { seq } = await store().appendMessage(draft(alice, direct, [bob], { body: 'a marlin' }));
      const [redacted] = await Promise.all([store().redactMessage(seq, NOW), find('anything')]);
      expect(redacted).toBe(true);
      expect(await find('marlin')).toEqual([]);
    });

    it('keeps files and content that something else uses', async () => {
      const { alice, bob, direct, draft, upload, contentOf, workspace } = await world();
      const content = bytes(100);
      const [shared, twin] = [await upload(content), await upload(content)];
      const send = (attachments: Array<typeof shared>) =>
        store().appendMessage(draft(alice, direct, [bob], { attachments }));
      const first = await send([shared]);
      const second = await send([shared]);
      const last = await send([twin]);
      const seen = async (id: string) =>
        (await store().visibleAttachment(undefined, workspace.id, id)) !== undefined;
      await store().redactMessage(first.seq, NOW);
      expect(await seen(shared.id)).toBe(true);
      await store().redactMessage(second.seq, NOW);
      expect(await seen(shared.id)).toBe(false);
      expect(await contentOf(shared.sha256)).toBe(100);
      await store().redactMessage(last.seq, NOW);
      expect(await contentOf(shared.sha256)).toBe(0);
    });
  });

  describe('deleting old messages', () => {
    // Retention is for the whole database: these are older than what other tests leave there.
    const OLD = NOW - 1_000_000;
    const deleteAll = async (before: number, limit: number) => {
      const counts: number[] = [];
      while (counts.at(-1) !== 0) counts.push(await store().deleteMessagesBefore(before, limit));
      return counts;
    };

    it('deletes everything that belongs to them, in steps, whether indexed or not', async () => {
      const { alice, bob, direct, draft, find, upload, contentOf, workspace } = await world();
      const [file, unsent] = [await upload(), attachmentOf(alice, bytes(50))];
      await store().addAttachment({ ...unsent, createdAt: OLD }, bytes(50));
      const send = (body: string, createdAt: number) =>
        store().appendMessage(draft(alice, direct, [bob], { body, createdAt, attachments: [file] }));
      const indexed = await send('an osprey', OLD);
      const kept = await send('an osprey', NOW);
      expect(await find('osprey')).toEqual([kept.id, indexed.id]);
      // A message from an import: later here, but older.
      await send('an osprey', OLD - 5);
      await send('an osprey', OLD + 1);
      await store().addReaction({ seq: indexed.seq, agentId: bob.id, emoji: '👍', at: NOW }, ANY_NUMBER);

      expect(await deleteAll(OLD + 1, 1)).toEqual([1, 1, 0]);
      expect(await store().visibleMessage(undefined, workspace.id, indexed.id)).toBeUndefined();
      expect(await store().deliveriesOf(indexed.seq)).toEqual([]);
      expect(await store().reactionsOf([indexed.seq])).toEqual([]);
      expect(await store().visibleAttachment(undefined, workspace.id, unsent.id)).toBeUndefined();
      expect(await store().countUnread(bob.id, NOW)).toBe(2);
      expect(await find('osprey')).toHaveLength(2);
      expect(await contentOf(file.sha256)).toBe(100);
      expect(await deleteAll(OLD + 2, 10)).toEqual([1, 0]);
      expect(await find('osprey')).toEqual([kept.id]);
      expect(await store().history({ workspaceId: workspace.id, viewer: alice.id, limit: 10 })).toHaveLength(
        1,
      );
    });
  });

  describe('removing a workspace', () => {
    it('deletes everything except messages to other workspaces, and an audit record', async () => {
      const { workspace, alice, bob, direct, draft, newChannel, upload, contentOf } = await world();
      const other = await newWorld(store(), 1);
      const friend = defined(other.agents[0]);
      const file = await upload();
      await newChannel('build', alice);
      await store().addKey({
        id: `key-${workspace.id}`,
        workspaceId: workspace.id,
        hash: 'x',
        createdAt: NOW,
      });
      await store().setGrant(alice.id, other.workspace.id, true);
      const sent = await store().appendMessage(draft(alice, direct, [bob], { attachments: [file] }));
      const across = await store().appendMessage(
        draft(alice, await other.dm(alice, friend), [friend], { workspaceId: other.workspace.id }),
      );
      await store().appendAudit({ ...NOTE, workspaceId: workspace.id });

      await store().removeWorkspace(workspace, NOW + 3);
      expect((await store().listWorkspaces()).map(({ id }) => id)).not.toContain(workspace.id);
      expect(await store().listAgents(workspace.id)).toEqual([]);
      expect(await store().findAgentByToken(alice.tokenHash)).toBeUndefined();
      expect(await store().listChannels(workspace.id)).toEqual([]);
      expect(await store().listMemberships(workspace.id)).toEqual([]);
      expect(await store().findKey(`key-${workspace.id}`)).toBeUndefined();
      expect(await store().hasGrant(alice.id, other.workspace.id)).toBe(false);
      expect(await store().visibleMessage(bob.id, workspace.id, sent.id)).toBeUndefined();
      expect(await store().inbox(inboxOf(bob))).toEqual([]);
      expect(await contentOf(file.sha256)).toBe(0);
      const [kept] = await store().inbox(inboxOf(friend));
      expect(kept).toMatchObject({ id: across.id, senderName: alice.name, senderWorkspaceId: 0 });
      expect(await store().listAudit(workspace.id, 10)).toEqual([
        {
          ...NOTE,
          workspaceId: workspace.id,
          at: NOW + 3,
          actor: 'relay',
          action: 'workspace.removed',
          subject: workspace.name,
        },
        { ...NOTE, workspaceId: workspace.id },
      ]);
      const again = { name: workspace.name, root: undefined, createdAt: NOW };
      expect((await store().createWorkspace(again))?.id).not.toBe(workspace.id);
    });
  });
}

const NOTE = { at: NOW, actor: 'Alice', action: 'key.created', subject: 'key-1', detail: undefined };
