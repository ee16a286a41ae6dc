import { z } from 'zod';
import type { AttachmentInfo } from '../messages/message.ts';
import { ATTACHMENT_CHUNK_BYTES } from '../vocabulary.ts';
import { result } from './define.ts';

export const attachmentOperations = {
  /** One piece of a file, in order; the last one stores the file and returns its id. */
  ATTACH: {
    params: z
      .object({
        /** Chosen by the client, the same for all pieces of one file. */
        upload: z.string().min(1).max(64),
        /** Where this piece starts. */
        offset: z.int().nonnegative(),
        data: z.base64().max((ATTACHMENT_CHUNK_BYTES * 4) / 3 + 4),
        /** With the last piece. */
        finish: z
          .object({
            name: z.string().min(1).max(255),
            mediaType: z.string().max(127).default('application/octet-stream'),
            /** SHA-256 of the whole file in hex; a damaged file is refused. */
            sha256: z.string().regex(/^[0-9a-f]{64}$/),
          })
          .optional(),
      })
      .strict(),
    result: result<{ received: number; attachment?: AttachmentInfo }>(),
  },
  FETCH: {
    params: z.object({ attachment: z.string().max(64), offset: z.int().nonnegative().default(0) }).strict(),
    result: result<{ attachment: AttachmentInfo; offset: number; data: string; done: boolean }>(),
  },
} as const;
