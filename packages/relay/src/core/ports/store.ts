import type { AgentStore } from './store/agents.ts';
import type { AttachmentStore } from './store/attachments.ts';
import type { AuditStore } from './store/audit.ts';
import type { ChannelStore } from './store/channels.ts';
import type { ConversationStore } from './store/conversations.ts';
import type { DeletionStore } from './store/deletion.ts';
import type { DeliveryStore } from './store/deliveries.ts';
import type { HeldStore } from './store/held.ts';
import type { HistoryStore } from './store/history.ts';
import type { MessageStore } from './store/messages.ts';
import type { PageSessionStore } from './store/page-sessions.ts';
import type { ReactionStore } from './store/reactions.ts';
import type { RunStore } from './store/runs.ts';
import type { SearchStore } from './store/search.ts';
import type { ToolStore } from './store/tools.ts';
import type { TransferStore } from './store/transfer.ts';
import type { WorkspaceStore } from './store/workspaces.ts';

/**
 * Where everything durable lives. One contract, several databases; `test/store/contract.ts` is its test, run on each.
 * Each topic has an interface and its types in a file of `ports/store`, and the same file name in `store/scripts` and
 * `test/store/contract`.
 *
 * Promises every implementation keeps:
 *  1. Durable before told. A promise of a writing method resolves only after its transaction is on the disk
 *     (fsynced). If it rejects, nothing of that call is stored.
 *  2. Writes are applied in the order the methods were called on this object, and may share one transaction
 *     (group commit); one failing write never takes another one with it, unless the database itself fails.
 *  3. Reads see every write whose promise has resolved.
 *  4. `seq` grows in the order of commits: whoever has read up to seq N never later finds a new row ≤ N.
 *  5. A database that cannot write rejects with `RelayError` `DiskFull` or `StoreUnavailable`; both are retryable
 *     and reads go on.
 *
 * The store trusts its caller: names, limits and permissions are checked by the domain before.
 * Times are milliseconds since 1970, given by the caller. Ids of rows are numbers given by the store.
 */
export interface Store
  extends WorkspaceStore,
    PageSessionStore,
    AgentStore,
    ToolStore,
    ChannelStore,
    ConversationStore,
    MessageStore,
    DeliveryStore,
    HistoryStore,
    SearchStore,
    ReactionStore,
    AttachmentStore,
    HeldStore,
    RunStore,
    AuditStore,
    DeletionStore,
    TransferStore {
  /** Which database this is, for people: `sqlite` or `postgres`. */
  readonly kind: string;
  /** Finishes the writes already accepted, then closes. No method may be called after. */
  close(): Promise<void>;
}
