import { ATTACHMENT_CHUNK_BYTES, type AttachmentInfo, RelayError } from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';
import { fromBase64, toBase64 } from './base64.ts';

/** Uploads a file in pieces; the daemon stores it if the hash of the whole matches. */
export async function upload(
  session: ClientSession,
  name: string,
  content: Uint8Array<ArrayBuffer>,
  mediaType: string | undefined,
): Promise<AttachmentInfo> {
  const sha256 = await hashOf(content);
  const id = session.newId();
  for (let offset = 0; ; offset += ATTACHMENT_CHUNK_BYTES) {
    const piece = content.subarray(offset, offset + ATTACHMENT_CHUNK_BYTES);
    const isLast = offset + piece.length >= content.length;
    const { attachment } = await session.request('ATTACH', {
      upload: id,
      offset,
      data: toBase64(piece),
      ...(isLast ? { finish: { name, mediaType, sha256 } } : {}),
    });
    if (attachment) return attachment;
    if (isLast) throw new RelayError('Internal', 'The daemon accepted the file but returned no id.');
  }
}

/** Fetches a file in pieces and checks its hash. */
export async function download(
  session: ClientSession,
  id: string,
): Promise<{ attachment: AttachmentInfo; content: Uint8Array<ArrayBuffer> }> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (;;) {
    const { attachment, data, done } = await session.request('FETCH', { attachment: id, offset });
    const piece = fromBase64(data);
    pieces.push(piece);
    offset += piece.length;
    if (!done && piece.length > 0) continue;
    const content = new Uint8Array(await new Blob(pieces).arrayBuffer());
    if (content.length === attachment.size && (await hashOf(content)) === attachment.sha256) {
      return { attachment, content };
    }
    throw new RelayError('Connection', `The file ${attachment.name} arrived damaged.`, {
      next: 'Fetch it again.',
    });
  }
}

const hashOf = async (content: Uint8Array<ArrayBuffer>): Promise<string> => {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', content));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
};
