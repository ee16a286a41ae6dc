import type { TransferRecord } from '@agent-relay/protocol';

/** Keys, tokens, grants, held messages and the audit trail are no part of an export. */
export interface TransferStore {
  /**
   * A page of everything in a workspace, in an order that is the same each time; what a record speaks of comes before
   * it. `next` is the cursor of the following page, undefined after the last. Two workspaces are equal if their records
   * are.
   */
  exportPage(
    workspaceId: number,
    cursor: string | undefined,
    limit: number,
  ): Promise<{ records: TransferRecord[]; next: string | undefined }>;
  /**
   * Adds records in the order of their export. Ids and times of messages stay; what is there already stays as it is, so
   * that an import can be repeated. Returns how many were added, were there, or belong to another workspace of this
   * database and were left out; and for each agent with new deliveries, which may be before others that it has, the
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
