import type { AttachmentInfo } from '@agent-relay/protocol';
import type { Viewer } from './history.ts';

export interface Attachment extends AttachmentInfo {
  workspaceId: number;
  uploadedBy: number;
  createdAt: number;
  /** The account it counts for; unknown for old and imported ones. */
  account: string | undefined;
}

export interface AttachmentStore {
  /** Equal content (same sha256) is stored once. Large content takes several transactions, so that others do not wait. */
  addAttachment(attachment: Attachment, content: Uint8Array): Promise<void>;
  /** An attachment the viewer uploaded, or of a message the viewer can see. */
  visibleAttachment(viewer: Viewer, workspaceId: number, id: string): Promise<Attachment | undefined>;
  readContent(sha256: string, offset: number, length: number): Promise<Uint8Array>;
  /**
   * How many files and bytes of content a workspace has, or an account in it, for the limits. Equal content counts once.
   * Files with ids in `except` are not counted.
   */
  attachmentUse(
    workspaceId: number,
    account?: string,
    except?: string[],
  ): Promise<{ files: number; bytes: number }>;
}
