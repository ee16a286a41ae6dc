import { createHash, randomBytes } from 'node:crypto';
import { ATTACHMENT_CHUNK_BYTES, type AttachmentInfo } from '@agent-relay/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GONE_AFTER_MS, openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_WORKSPACE_BYTES = 2 * MAX_FILE_BYTES;

let core: TestCore;
let workspace: Workspace;
let alice: Participant;
let bob: Participant;
let carol: Participant;

beforeAll(async () => {
  core = await openCore({
    attachments: { maxFileBytes: MAX_FILE_BYTES, maxWorkspaceBytes: MAX_WORKSPACE_BYTES },
  });
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
  carol = await core.join(workspace, 'Carol');
});

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
let uploads = 0;

/** Uploads a file as clients do: in pieces, the last one with the hash of the whole. */
async function upload(sender: Participant, content: Buffer, name = 'log.txt'): Promise<AttachmentInfo> {
  const id = `upload-${++uploads}`;
  for (let offset = 0; ; offset += ATTACHMENT_CHUNK_BYTES) {
    const data = content.subarray(offset, offset + ATTACHMENT_CHUNK_BYTES).toString('base64');
    const isLast = offset + ATTACHMENT_CHUNK_BYTES >= content.length;
    const finish = { name, mediaType: 'text/plain', sha256: sha256(content) };
    const piece = { upload: id, offset, data, ...(isLast ? { finish } : {}) };
    const { attachment } = await sender.request('ATTACH', piece);
    if (attachment) return attachment;
  }
}

async function download(reader: Participant, attachment: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let offset = 0; ; ) {
    const { data, done } = await reader.request('FETCH', { attachment, offset });
    const piece = Buffer.from(data, 'base64');
    pieces.push(piece);
    offset += piece.length;
    if (done) return Buffer.concat(pieces);
  }
}

const notFound = { code: 'AttachmentNotFound' };

describe('a file', () => {
  it.each([
    ['nothing', 0],
    ['one byte', 1],
    ['exactly one piece', ATTACHMENT_CHUNK_BYTES],
    ['several pieces and a bit', 3 * ATTACHMENT_CHUNK_BYTES + 7],
    ['all that is allowed', MAX_FILE_BYTES],
  ])('of %s arrives unchanged', async (_what, size) => {
    const content = randomBytes(size);
    const attachment = await upload(alice, content);
    expect(attachment).toEqual({
      id: expect.stringMatching(/^att_/),
      name: 'log.txt',
      mediaType: 'text/plain',
      size,
      sha256: sha256(content),
    });
    await alice.send('Bob', 'See the log.', { attachments: [attachment.id] });
    expect(bob.delivered).toMatchObject([{ attachments: [attachment] }]);
    expect(await bob.unread()).toEqual(bob.delivered);
    expect((await download(bob, attachment.id)).equals(content)).toBe(true);
  });

  it('that is damaged is refused, and can be uploaded again', async () => {
    const finish = { name: 'x', sha256: sha256(Buffer.from('other')) };
    const data = Buffer.from('content').toString('base64');
    const attempt = alice.request('ATTACH', { upload: 'u', offset: 0, data, finish });
    await expect(attempt).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: { field: 'finish.sha256' },
    });
    await upload(alice, Buffer.from('content'));
  });

  it('with pieces out of order is refused with the expected position', async () => {
    const data = Buffer.from('abc').toString('base64');
    await alice.request('ATTACH', { upload: 'u', offset: 0, data });
    for (const offset of [0, 2, 4]) {
      await expect(alice.request('ATTACH', { upload: 'u', offset, data })).rejects.toMatchObject({
        code: 'InvalidRequest',
        message: `offset: expected 3, got ${offset}.`,
      });
    }
    const finish = { name: 'x', sha256: sha256(Buffer.from('abcabc')) };
    expect(await alice.request('ATTACH', { upload: 'u', offset: 3, data, finish })).toMatchObject({
      received: 6,
    });
  });

  it('that is too large is refused as early as possible', async () => {
    const piece = Buffer.alloc(ATTACHMENT_CHUNK_BYTES).toString('base64');
    let offset = 0;
    for (; offset < MAX_FILE_BYTES; offset += ATTACHMENT_CHUNK_BYTES)
      await alice.request('ATTACH', { upload: 'u', offset, data: piece });
    await expect(
      alice.request('ATTACH', { upload: 'u', offset, data: Buffer.from('x').toString('base64') }),
    ).rejects.toMatchObject({ code: 'AttachmentTooLarge' });
    expect(await core.relay.store.attachmentUse(workspace.id)).toEqual({ files: 0, bytes: 0 });
  });

  it('that exceeds the quota of the workspace is refused', async () => {
    await upload(alice, randomBytes(MAX_FILE_BYTES));
    await upload(bob, randomBytes(MAX_FILE_BYTES - 10));
    await upload(bob, randomBytes(10));
    await expect(upload(carol, randomBytes(1))).rejects.toMatchObject({ code: 'AttachmentTooLarge' });
    const elsewhere = await core.join(await core.newWorkspace(), 'Alice');
    await upload(elsewhere, randomBytes(1));
  });

  it('uploaded twice is stored once', async () => {
    const content = randomBytes(1000);
    const [first, second] = [await upload(alice, content), await upload(bob, content, 'copy.txt')];
    expect(second.id).not.toBe(first.id);
    expect((await core.relay.store.attachmentUse(workspace.id)).bytes).toBe(1000);
  });

  it('can be read again after a restart', async () => {
    const content = randomBytes(ATTACHMENT_CHUNK_BYTES + 1);
    const { id } = await upload(alice, content);
    await core.restart();
    const back = await core.join(workspace, 'Alice', { token: alice.token });
    expect((await download(back, id)).equals(content)).toBe(true);
  });
});

describe('an upload', () => {
  const piece = { offset: 0, data: Buffer.from('abc').toString('base64') };

  it('that stays idle is dropped', async () => {
    await alice.request('ATTACH', { upload: 'u', ...piece });
    core.clock.advance(59_999);
    await alice.request('ATTACH', { upload: 'u', ...piece, offset: 3 });
    core.clock.advance(60_000);
    await expect(alice.request('ATTACH', { upload: 'u', ...piece, offset: 6 })).rejects.toMatchObject({
      message: 'offset: expected 0, got 6.',
    });
  });

  it('counts against a limit per agent, so that memory cannot be filled', async () => {
    for (let i = 0; i < 4; i++) await alice.request('ATTACH', { upload: `u${i}`, ...piece });
    await expect(alice.request('ATTACH', { upload: 'u4', ...piece })).rejects.toMatchObject({
      code: 'Overloaded',
    });
    await bob.request('ATTACH', { upload: 'u4', ...piece });
    core.clock.advance(60_000);
    await alice.request('ATTACH', { upload: 'u4', ...piece });
  });

  it('counts against the memory limit of all agents', async () => {
    const data = Buffer.alloc(ATTACHMENT_CHUNK_BYTES).toString('base64');
    const many = Array.from({ length: 4 }, (_, i) => core.join(workspace, `sender-${i}x`));
    const fill = async (sender: Participant, id: string, pieces: number) => {
      for (let i = 0; i < pieces; i++)
        await sender.request('ATTACH', { upload: id, offset: i * ATTACHMENT_CHUNK_BYTES, data });
    };
    const senders = await Promise.all(many);
    for (const sender of senders.slice(1)) for (const id of ['u1', 'u2']) await fill(sender, id, 4);
    const [last] = senders as [Participant];
    await fill(last, 'u1', 4);
    await fill(last, 'u2', 3);
    const full = alice.request('ATTACH', { upload: 'u', offset: 0, data });
    await expect(full).rejects.toMatchObject({ code: 'Overloaded', next: expect.stringMatching(/again/) });
    last.disconnect();
    core.clock.advance(GONE_AFTER_MS);
    await upload(alice, randomBytes(MAX_FILE_BYTES));
    await core.owner(workspace).request('AGENT_REMOVE', { agent: senders[1]?.name ?? '' });
    await fill(alice, 'u', 4);
    await fill(bob, 'u', 4);
  });

  it('that starts in the middle does not count', async () => {
    for (let i = 0; i < 10; i++) {
      await expect(alice.request('ATTACH', { upload: `u${i}`, ...piece, offset: 3 })).rejects.toMatchObject({
        code: 'InvalidRequest',
      });
    }
    await upload(alice, Buffer.from('content'));
  });

  it('belongs to one agent', async () => {
    await alice.request('ATTACH', { upload: 'same', ...piece });
    await bob.request('ATTACH', { upload: 'same', ...piece });
    await expect(bob.request('ATTACH', { upload: 'same', ...piece, offset: 6 })).rejects.toMatchObject({
      message: 'offset: expected 3, got 6.',
    });
  });
});

describe('who may fetch a file', () => {
  it('is the uploader, everyone who sees a message with it, and the owner', async () => {
    const { id } = await upload(alice, Buffer.from('secret plan'));
    for (const reader of [bob, carol]) await expect(download(reader, id)).rejects.toMatchObject(notFound);
    await alice.send('Bob', 'The plan.', { attachments: [id] });
    for (const reader of [alice, bob, core.owner(workspace)])
      expect((await download(reader, id)).toString()).toBe('secret plan');
    await expect(download(carol, id)).rejects.toMatchObject(notFound);
    await expect(download(carol, 'att_none')).rejects.toMatchObject(notFound);
  });

  it('is every member of the channel where it was posted', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'plans' });
    const { id } = await upload(alice, Buffer.from('plan'));
    await alice.send('#plans', 'The plan.', { attachments: [id] });
    await expect(download(bob, id)).rejects.toMatchObject(notFound);
    await bob.request('CHANNEL_JOIN', { channel: 'plans' });
    expect((await download(bob, id)).toString()).toBe('plan');
  });

  it('is nobody of another project', async () => {
    const { id } = await upload(alice, Buffer.from('plan'));
    const other = await core.newWorkspace();
    const stranger = await core.join(other, 'Alice');
    for (const reader of [stranger, core.owner(other)])
      await expect(download(reader, id)).rejects.toMatchObject(notFound);
  });

  it('may attach it to other messages; others may not', async () => {
    const { id } = await upload(alice, Buffer.from('plan'));
    await expect(carol.send('Bob', 'Look.', { attachments: [id] })).rejects.toMatchObject(notFound);
    await alice.send('Carol', 'Look.', { attachments: [id] });
    await carol.send('Bob', 'Look what I got.', { attachments: [id] });
    expect((await download(bob, id)).toString()).toBe('plan');
  });
});
