import type { AttachmentInfo } from '@agent-relay/protocol';
import type { Viewer } from './history.ts';

export interface Attachment extends AttachmentInfo {
  workspaceId: number;
  uploadedBy: number;
  createdAt: number;
  /** Whose quota it counts for; unknown of old ones and of imported ones. */
  account: string | undefined;
}

export interface AttachmentStore {
  /** Equal content (same sha256) is stored once. Large content takes several transactions, so that nobody waits for it. */
  addAttachment(attachment: Attachment, content: Uint8Array): Promise<void>;
  /** An attachment the viewer uploaded, or that hangs on a message the viewer may see. */
  visibleAttachment(viewer: Viewer, workspaceId: number, id: string): Promise<Attachment | undefined>;
  readContent(sha256: string, offset: number, length: number): Promise<Uint8Array>;
  /**
   * How many files and bytes of content a workspace has, or an account in it, for the limits. Equal content counts once.
   * Files with the ids of `besides` are left out.
   */
  attachmentUse(
    workspaceId: number,
    account?: string,
    besides?: string[],
  ): Promise<{ files: number; bytes: number }>;
}
