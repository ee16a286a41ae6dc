import type { Attachment } from '../../core/ports/store/attachments.ts';
import type { Viewer } from '../../core/ports/store/history.ts';
import { orNull, rows, type Script } from './script.ts';
import { visible } from './visibility.ts';

export const PIECE_BYTES = 256 * 1024;

const ATTACHMENT = `a.id, a.workspace_id AS "workspaceId", a.sha256, a.name, a.media_type AS "mediaType", a.size,
  a.uploaded_by AS "uploadedBy", a.created_at AS "createdAt", a.account`;

type AttachmentRow = Omit<Attachment, 'account'> & { account: string | null };

export const queries = {
  *visibleAttachment(viewer: Viewer, workspaceId: number, id: string): Script<Attachment | undefined> {
    const own =
      viewer === undefined
        ? { sql: 'a.workspace_id = ?', params: [workspaceId] }
        : { sql: 'a.uploaded_by = ?', params: [viewer] };
    const seen = visible(viewer, workspaceId);
    const [row] = yield* rows<AttachmentRow>(
      `SELECT ${ATTACHMENT} FROM attachments AS a WHERE a.id = ? AND (${own.sql} OR EXISTS (
         SELECT 1 FROM message_attachments JOIN messages AS m ON m.seq = message_attachments.message_seq
         WHERE message_attachments.attachment_id = a.id AND ${seen.sql}))`,
      [id, ...own.params, ...seen.params],
    );
    return row && { ...row, account: row.account ?? undefined };
  },

  *readContent(sha256: string, offset: number, length: number): Script<Uint8Array> {
    const first = offset - (offset % PIECE_BYTES);
    const found = yield* rows<{ piece: Uint8Array }>(
      'SELECT piece FROM contents WHERE sha256 = ? AND position >= ? AND position < ? ORDER BY position',
      [sha256, first, offset + length],
    );
    return Buffer.concat(found.map(({ piece }) => piece)).subarray(offset - first, offset - first + length);
  },

  /** The stored bytes of a content. */
  *contentBytes(sha256: string): Script<number> {
    const [row] = yield* rows<{ bytes: number | null }>(
      'SELECT CAST(sum(length(piece)) AS bigint) AS bytes FROM contents WHERE sha256 = ?',
      [sha256],
    );
    return row?.bytes ?? 0;
  },

  *attachmentUse(
    workspaceId: number,
    account?: string,
    except: string[] = [],
  ): Script<{ files: number; bytes: number }> {
    const [row] = yield* rows<{ files: number; bytes: number | null }>(
      `SELECT CAST(sum(copies) AS bigint) AS files, CAST(sum(size) AS bigint) AS bytes
       FROM (SELECT count(*) AS copies, max(size) AS size FROM attachments
         WHERE workspace_id = ? AND id NOT IN {{texts}}${account === undefined ? '' : ' AND account = ?'}
         GROUP BY sha256) AS files`,
      [workspaceId, JSON.stringify(except), ...(account === undefined ? [] : [account])],
    );
    return { files: row?.files ?? 0, bytes: row?.bytes ?? 0 };
  },
};

export const commands = {
  /** The first step of adding a file, whose id is not known to clients yet. */
  *registerAttachment(attachment: Attachment): Script<void> {
    const { id, workspaceId, sha256, name, mediaType, size, uploadedBy, createdAt, account } = attachment;
    yield* rows(
      `INSERT INTO attachments (id, workspace_id, sha256, name, media_type, size, uploaded_by, created_at, account)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [id, workspaceId, sha256, name, mediaType, size, uploadedBy, createdAt, orNull(account)],
    );
  },

  /** Adds a part of a file, aligned to pieces; existing pieces stay. */
  *addContent(sha256: string, start: number, part: Uint8Array): Script<void> {
    for (let offset = 0; offset < part.length; offset += PIECE_BYTES) {
      yield* rows('INSERT INTO contents (sha256, position, piece) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [
        sha256,
        start + offset,
        part.subarray(offset, offset + PIECE_BYTES),
      ]);
    }
  },
};

/** Detaches files from messages; deletes those no other message has, with their content if unused. */
export function* detach(seqs: number[]): Script<void> {
  const detached = yield* rows<{ id: string }>(
    'DELETE FROM message_attachments WHERE message_seq IN {{numbers}} RETURNING attachment_id AS id',
    [JSON.stringify(seqs)],
  );
  if (detached.length > 0) yield* dropUnused(detached.map(({ id }) => id));
}

/** Deletes the files that are attached to no message. */
export function* dropUnused(ids: string[]): Script<void> {
  const dropped = yield* rows<{ sha256: string }>(
    `DELETE FROM attachments WHERE id IN {{texts}} AND NOT EXISTS
       (SELECT 1 FROM message_attachments WHERE attachment_id = attachments.id) RETURNING sha256`,
    [JSON.stringify(ids)],
  );
  yield* rows(
    `DELETE FROM contents WHERE sha256 IN {{texts}} AND NOT EXISTS
       (SELECT 1 FROM attachments WHERE attachments.sha256 = contents.sha256)`,
    [JSON.stringify(dropped.map(({ sha256 }) => sha256))],
  );
}
