import type { TransferRecord } from '@agent-relay/protocol';

/** Exports do not include keys, tokens, grants, held messages and the audit log. */
export interface TransferStore {
  /**
   * A page of everything in a workspace, in a stable order; what a record refers to comes before
   * it. `next` is the cursor of the next page, undefined after the last. Two workspaces are equal if their records
   * are.
   */
  exportPage(
    workspaceId: number,
    cursor: string | undefined,
    limit: number,
  ): Promise<{ records: TransferRecord[]; next: string | undefined }>;
  /**
   * Adds records in the order of their export. Ids and times of messages stay; existing records stay as they are, so
   * that an import can be repeated. Returns how many were added, already existed, or belong to another workspace of this
   * database and were skipped; and for each agent with new deliveries, which may precede existing ones, the
   * first of them.
   */
  importRecords(
    workspaceId: number,
    records: TransferRecord[],
  ): Promise<{
    added: number;
    present: number;
    elsewhere: number;
    delivered: Array<{ recipientId: number; from: number }>;
  }>;
}
