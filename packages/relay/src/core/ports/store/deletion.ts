import type { Workspace } from './workspaces.ts';

/** Deletion is permanent. */
export interface DeletionStore {
  /** Erases a message: body, search index, attachments that no other message uses. False if it was already erased. */
  redactMessage(seq: number, at: number): Promise<boolean>;
  /**
   * Deletes up to `limit` messages created before `before`, in order of seq, with everything that belongs to them; fewer
   * if they went to very many agents. Returns how many: 0 when none is left. Records of held messages settled before then
   * are deleted with the last of them.
   */
  deleteMessagesBefore(before: number, limit: number): Promise<number>;
  /**
   * Deletes the workspace and everything in it, in several transactions; if it rejects, ask again. What its agents
   * wrote to other workspaces stays there. The audit log of the whole database records it.
   */
  removeWorkspace(workspace: Workspace, at: number): Promise<void>;
}
