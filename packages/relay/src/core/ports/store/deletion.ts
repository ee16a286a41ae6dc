import type { Workspace } from './workspaces.ts';

/** What is deleted here is gone for good. */
export interface DeletionStore {
  /** Empties a message for good: body, search index, attachments nobody else uses. False if it was empty already. */
  redactMessage(seq: number, at: number): Promise<boolean>;
  /**
   * Deletes up to `limit` messages created before `before`, in order of seq, with all that hangs on them; fewer if they
   * went to very many agents. Returns how many: 0 when none is left. What is known of held messages settled before then
   * goes with the last of them.
   */
  deleteMessagesBefore(before: number, limit: number): Promise<number>;
  /**
   * Deletes the workspace and everything in it, in several transactions; if it rejects, ask again. What its agents
   * wrote to other workspaces stays there. The audit trail of the whole database keeps that it happened.
   */
  removeWorkspace(workspace: Workspace, at: number): Promise<void>;
}
