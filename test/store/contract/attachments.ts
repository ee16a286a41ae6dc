import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Attachment } from '../../../packages/relay/src/core/ports/store/attachments.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { NOW, newWorld, unique } from './world.ts';

type Three = [Agent, Agent, Agent];

export const attachmentOf = (agent: Agent, content: Uint8Array): Attachment => ({
  id: unique('file'),
  workspaceId: agent.workspaceId,
  name: 'log “1”.txt',
  mediaType: 'text/plain',
  size: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
  uploadedBy: agent.id,
  createdAt: NOW,
  account: `agent ${agent.id}`,
});

/** Bytes that no other file has. */
export const bytes = (size: number): Uint8Array => new Uint8Array(randomBytes(size));

export function attachments(store: () => Store): void {
  describe('attachments', () => {
    it('are read byte for byte, from any position', async () => {
      const { agents } = await newWorld(store(), 1);
      const content = bytes(700_001);
      const attachment = attachmentOf(agents[0] as Agent, content);
      await store().addAttachment(attachment, content);
      const read = async (offset: number, length: number) =>
        Buffer.from(await store().readContent(attachment.sha256, offset, length));
      for (const [offset, length] of [
        [0, 700_001],
        [0, 10],
        [262_140, 10],
        [262_144, 262_144],
        [700_000, 10],
        [700_001, 10],
      ] as const) {
        expect((await read(offset, length)).equals(content.subarray(offset, offset + length))).toBe(true);
      }
      expect(await store().readContent('unknown', 0, 10)).toHaveLength(0);
    });

    it('with equal content are stored once, and counted once', async () => {
      const { workspace, agents } = await newWorld(store(), 1);
      const content = bytes(1000);
      const agent = agents[0] as Agent;
      for (const file of [content, content, bytes(10), new Uint8Array()]) {
        await store().addAttachment(attachmentOf(agent, file), file);
      }
      expect(await store().attachmentUse(workspace.id)).toEqual({ files: 4, bytes: 1010 });
      const empty = (await newWorld(store(), 0)).workspace;
      expect(await store().attachmentUse(empty.id)).toEqual({ files: 0, bytes: 0 });
    });

    it('count for the account they were uploaded for, and for the workspace', async () => {
      const { workspace, agents } = await newWorld(store(), 2);
      const [alice, bob] = agents as [Agent, Agent];
      const upload = async (attachment: Partial<Attachment>, agent: Agent, size: number) => {
        const content = bytes(size);
        await store().addAttachment({ ...attachmentOf(agent, content), ...attachment }, content);
      };
      await upload({ account: 'key 1' }, alice, 100);
      await upload({ account: 'key 1' }, bob, 50);
      await upload({ account: undefined, id: `att_seven_${workspace.id}` }, bob, 7);
      expect(await store().attachmentUse(workspace.id, 'key 1')).toEqual({ files: 2, bytes: 150 });
      expect(await store().attachmentUse(workspace.id, 'key 2')).toEqual({ files: 0, bytes: 0 });
      expect(await store().attachmentUse(workspace.id)).toEqual({ files: 3, bytes: 157 });
      expect(await store().attachmentUse(workspace.id, undefined, ['none'])).toEqual({
        files: 3,
        bytes: 157,
      });
    });

    it('are visible to their uploader, and to those who can see a message with them', async () => {
      const { workspace, agents, dm, draft } = await newWorld(store(), 3);
      const [alice, bob, carol] = agents as Three;
      const other = await newWorld(store(), 1);
      const content = bytes(10);
      const attachment = attachmentOf(alice, content);
      await store().addAttachment(attachment, content);
      const seenBy = async (viewer: Agent | undefined, workspaceId = workspace.id) =>
        store().visibleAttachment(viewer?.id, workspaceId, attachment.id);
      expect(await seenBy(alice)).toEqual(attachment);
      expect(await seenBy(undefined)).toEqual(attachment);
      expect(await seenBy(bob)).toBeUndefined();
      const { id, name, mediaType, size, sha256 } = attachment;
      const info = { id, name, mediaType, size, sha256 };
      const sent = await store().appendMessage(
        draft(alice, await dm(alice, bob), [bob], { attachments: [info, info] }),
      );
      expect((await store().visibleMessage(undefined, workspace.id, sent.id))?.attachments).toEqual([
        info,
        info,
      ]);
      expect(await seenBy(bob)).toEqual(attachment);
      expect(await seenBy(carol)).toBeUndefined();
      expect(await seenBy(undefined, other.workspace.id)).toBeUndefined();
      expect(await seenBy(other.agents[0], other.workspace.id)).toBeUndefined();
      expect(await store().visibleAttachment(alice.id, workspace.id, 'unknown')).toBeUndefined();
    });

    it('of ten mebibytes do not block messages that are sent and read meanwhile', async () => {
      const { agents, dm, draft } = await newWorld(store(), 2);
      const [alice, bob] = agents as Three;
      const conversation = await dm(alice, bob);
      const content = bytes(10 * 1024 * 1024);
      const attachment = attachmentOf(alice, content);
      let uploading = true;
      const uploaded = store()
        .addAttachment(attachment, content)
        .finally(() => {
          uploading = false;
        });
      await store().appendMessage(draft(alice, conversation, [bob]));
      expect(await store().countUnread(bob.id, NOW)).toBe(1);
      expect(uploading).toBe(true);
      await uploaded;
      const end = await store().readContent(attachment.sha256, content.length - 5, 100);
      expect([...end]).toEqual([...content.subarray(-5)]);
    });
  });
}
