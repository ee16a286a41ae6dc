import type { TransferRecord } from '@agent-relay/protocol';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { attachmentOf, bytes } from './attachments.ts';
import { ANY_NUMBER, agentOf, defined, inboxOf, NOW, newWorld } from './world.ts';

export function transfer(store: () => Store): void {
  const exported = async (workspaceId: number, limit: number) => {
    const records: TransferRecord[] = [];
    for (let cursor: string | undefined, end = false; !end; ) {
      const page = await store().exportPage(workspaceId, cursor, limit);
      records.push(...page.records);
      cursor = page.next;
      end = cursor === undefined;
    }
    return records;
  };

  /** A workspace with something of everything. */
  const busyWorld = async () => {
    const made = await newWorld(store(), 3);
    const [alice, bob, carol] = made.agents as [Agent, Agent, Agent];
    const { workspace, draft } = made;
    const foreign = defined((await newWorld(store(), 1)).agents[0]);
    await store().setHandle(alice.id, `${alice.name}-handle`);
    await made.newChannel('general');
    const build = await made.newChannel('Build', alice, bob);
    await store().updateChannel(build.id, { topic: 'what broke', archivedAt: NOW + 1 });
    await store().removeMember(build.id, bob.id);
    const content = bytes(300_000);
    const file = attachmentOf(alice, content);
    await store().addAttachment(file, content);
    const { id, name, mediaType, size, sha256 } = file;
    const direct = await made.dm(alice, bob);
    const first = await store().appendMessage(
      draft(alice, direct, [bob], {
        unverified: true,
        body: 'look “here” 🦊',
        thread: 'red',
        replyTo: 'message-0',
        awaitsReply: true,
        expiresAt: NOW + 9,
        mentions: [{ id: bob.id, name: bob.name }],
        attachments: [{ id, name, mediaType, size, sha256 }],
      }),
    );
    await store().appendMessage(draft(bob, build, [], { audience: { kind: 'members' } }));
    await store().appendMessage(draft(carol, await made.group(alice, bob, carol), [alice, bob]));
    await store().appendMessage(
      draft(carol, await made.broadcast(), [], { audience: { kind: 'workspace' } }),
    );
    await store().appendMessage(draft(foreign, await made.dm(foreign, alice), [alice]));
    const gone = await store().appendMessage(draft(alice, direct, [bob], { body: 'a secret' }));
    await store().redactMessage(gone.seq, NOW + 2);
    await store().observe([
      { recipientId: bob.id, seq: first.seq, state: 'acked', path: 'push', at: NOW + 4 },
    ]);
    await store().addReaction({ seq: first.seq, agentId: bob.id, emoji: '👍', at: NOW }, ANY_NUMBER);
    await store().addReaction({ seq: first.seq, agentId: foreign.id, emoji: '🦊', at: NOW }, ANY_NUMBER);
    await store().removeAgent(carol.id, NOW + 5);
    await store().createAgent({ ...agentOf(workspace.id, carol.name), createdAt: NOW + 6 });
    return { ...made, alice, bob, carol, content, file };
  };

  describe('export and import', () => {
    it('returns every record once, for any page size, and no secret', async () => {
      const { workspace, alice } = await busyWorld();
      const records = await exported(workspace.id, 1000);
      expect(await exported(workspace.id, 1)).toEqual(records);
      const types = Object.groupBy(records, ({ type }) => type);
      const counts = Object.entries(types).map(([type, of]) => [type, of.length]);
      expect(Object.fromEntries(counts)).toEqual({
        agent: 4,
        channel: 2,
        member: 2,
        conversation: 4,
        content: 2,
        attachment: 1,
        message: 6,
        delivery: 8,
        reaction: 2,
      });
      expect(JSON.stringify(records)).not.toContain(alice.tokenHash);
      expect(JSON.stringify(records)).not.toContain('secret');
    });

    it('creates an equal workspace elsewhere, and changes nothing when repeated', async () => {
      const { workspace, alice, bob, content, file } = await busyWorld();
      const records = await exported(workspace.id, 3);
      await store().removeWorkspace(workspace, NOW);

      const target = await newWorld(store(), 0);
      await target.newChannel('general');
      const load = async () => {
        const counts = { added: 0, present: 0, elsewhere: 0 };
        for (let start = 0; start < records.length; start += 4) {
          const part = await store().importRecords(target.workspace.id, records.slice(start, start + 4));
          // A message may be indexed before its deliveries come: search must know of them all the same.
          await store().indexForSearch(1000);
          counts.added += part.added;
          counts.present += part.present;
          counts.elsewhere += part.elsewhere;
        }
        return counts;
      };
      expect(await load()).toEqual({ added: records.length - 1, present: 1, elsewhere: 0 });
      expect(await exported(target.workspace.id, 100)).toEqual(records);
      expect(await load()).toEqual({ added: 0, present: records.length, elsewhere: 0 });
      expect(await exported(target.workspace.id, 100)).toEqual(records);

      const heir = defined(await store().findAgent(target.workspace.id, alice.name));
      expect(await store().countUnread(heir.id, NOW)).toBe(4);
      const reader = defined(await store().findAgent(target.workspace.id, bob.name));
      expect(await store().inbox(inboxOf(reader, { unreadOnly: false }))).toHaveLength(4);
      expect(await store().visibleAttachment(reader.id, target.workspace.id, file.id)).toMatchObject({
        sha256: file.sha256,
      });
      const read = await store().readContent(file.sha256, 0, content.length);
      expect(Buffer.from(read).equals(content)).toBe(true);
      const hits = await store().search({
        workspaceId: target.workspace.id,
        viewer: reader.id,
        text: 'look here',
        limit: 10,
      });
      expect(hits).toHaveLength(1);
    });

    it('skips messages that another workspace of the database has', async () => {
      const { workspace } = await busyWorld();
      const records = await exported(workspace.id, 100);
      const copy = await newWorld(store(), 0);
      const outcome = await store().importRecords(copy.workspace.id, records);
      expect(outcome.elsewhere).toBe(6 + 8 + 2);
      expect(await exported(workspace.id, 100)).toEqual(records);
    });

    it('refuses a file with wrong or incomplete content; the right one can follow', async () => {
      const { workspace, agents } = await newWorld(store(), 1);
      const alice = defined(agents[0]);
      const load = (...records: TransferRecord[]) => store().importRecords(workspace.id, records);
      for (const way of ['import', 'upload']) {
        const content = bytes(300_000);
        const uploaded = attachmentOf(alice, content);
        const { id, name, mediaType, size, sha256 } = uploaded;
        const file = { id, name, mediaType, size, sha256, uploadedBy: alice.name, createdAt: NOW };
        const attachment = { type: 'attachment', ...file } as const;
        const piece = (position: number, part: Uint8Array): TransferRecord => ({
          type: 'content',
          sha256,
          position,
          data: Buffer.from(part).toString('base64'),
        });
        const start = piece(0, content.subarray(0, 262_144));
        const end = content.subarray(262_144);
        const refused = {
          code: 'InvalidRequest',
          message: expect.stringContaining('does not match its hash'),
        };
        await load(start, piece(262_144, bytes(end.length)));
        await expect(load(attachment)).rejects.toMatchObject(refused);
        await expect(load(start, piece(1000, end), attachment)).rejects.toMatchObject(refused);
        if (way === 'upload') await store().addAttachment(uploaded, content);
        else await load(piece(262_144, end), attachment);
        const read = await store().readContent(sha256, 0, size);
        expect(Buffer.from(read).equals(content)).toBe(true);
        expect(await load(start, attachment)).toMatchObject({ added: 0, present: 2 });
      }
    });

    it.each(['', '{', 'null', '[]', '[99]', '[-1]', '["length"]', '[0]', '[0,"1"]', '[0,1.5]', '[4,0,""]'])(
      'refuses an invalid cursor: %s',
      async (cursor) => {
        const { workspace } = await newWorld(store(), 1);
        await expect(store().exportPage(workspace.id, cursor, 10)).rejects.toMatchObject({
          code: 'InvalidRequest',
        });
      },
    );

    it('does not change an existing channel or agent', async () => {
      const { workspace, newChannel } = await newWorld(store(), 1);
      const build = await newChannel('build');
      await store().updateChannel(build.id, { topic: 'ours' });
      const before = await exported(workspace.id, 10);
      const [agent] = before.filter((record) => record.type === 'agent');
      const outcome = await store().importRecords(workspace.id, [
        {
          type: 'channel',
          name: 'Build',
          topic: 'theirs',
          createdBy: 'A',
          createdAt: NOW,
          archivedAt: NOW + 1,
        },
        { ...defined(agent), agentType: 'human', lead: true, task: 'theirs' },
      ]);
      expect(outcome).toMatchObject({ added: 0, present: 2, elsewhere: 0 });
      expect(await exported(workspace.id, 10)).toEqual(before);
    });

    it('refuses records with unknown references, and stores nothing of that call', async () => {
      const { workspace } = await newWorld(store(), 0);
      const conversation = { type: 'conversation', kind: 'dm', conversation: 'A B', createdAt: NOW } as const;
      const channel = { type: 'channel', name: 'x', createdBy: 'A', createdAt: NOW } as const;
      await expect(store().importRecords(workspace.id, [channel, conversation])).rejects.toMatchObject({
        code: 'InvalidRequest',
      });
      expect(await exported(workspace.id, 10)).toEqual([]);
    });
  });
}
