import type { AttachmentInfo } from '@agent-relay/protocol';
import type { Viewer } from './history.ts';

export interface Attachment extends AttachmentInfo {
  workspaceId: number;
  uploadedBy: number;
  createdAt: number;
}

export interface AttachmentStore {
  /** Equal content (same sha256) is stored once. Large content takes several transactions, so that nobody waits for it. */
  addAttachment(attachment: Attachment, content: Uint8Array): Promise<void>;
  /** An attachment the viewer uploaded, or that hangs on a message the viewer may see. */
  visibleAttachment(viewer: Viewer, workspaceId: number, id: string): Promise<Attachment | undefined>;
  readContent(sha256: string, offset: number, length: number): Promise<Uint8Array>;
  /** How many bytes of content the workspace has, for its limit. */
  attachmentBytes(workspaceId: number): Promise<number>;
}
