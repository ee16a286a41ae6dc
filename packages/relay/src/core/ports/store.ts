import type { AgentStore } from './store/agents.ts';
import type { AttachmentStore } from './store/attachments.ts';
import type { AuditStore } from './store/audit.ts';
import type { ChannelStore } from './store/channels.ts';
import type { ConversationStore } from './store/conversations.ts';
import type { CountStore } from './store/counts.ts';
import type { DeletionStore } from './store/deletion.ts';
import type { DeliveryStore } from './store/deliveries.ts';
import type { HeldStore } from './store/held.ts';
import type { HistoryStore } from './store/history.ts';
import type { InvocationStore } from './store/invocations.ts';
import type { MessageStore } from './store/messages.ts';
import type { PageSessionStore } from './store/page-sessions.ts';
import type { ReactionStore } from './store/reactions.ts';
import type { RunStore } from './store/runs.ts';
import type { SearchStore } from './store/search.ts';
import type { ToolStore } from './store/tools.ts';
import type { TransferStore } from './store/transfer.ts';
import type { WorkspaceStore } from './store/workspaces.ts';

/**
 * Where everything durable is stored. One contract, several databases; `test/store/contract.ts` tests each of them.
 * Each topic has an interface and its types in a file of `ports/store`, and the same file name in `store/scripts` and
 * `test/store/contract`.
 *
 * Guarantees of every implementation:
 *  1. Durable first. The promise of a writing method resolves only after its transaction is on disk
 *     (fsynced). If it rejects, nothing of that call is stored.
 *  2. Writes are applied in the order the methods were called on this object, and may share one transaction
 *     (group commit); a failing write never affects another one, unless the database itself fails.
 *  3. Reads see every write whose promise has resolved.
 *  4. `seq` grows in the order of commits: a reader that has read up to seq N never finds a new row ≤ N later.
 *  5. A database that cannot write rejects with `RelayError` `DiskFull` or `StoreUnavailable`; both are retryable
 *     and reads still work.
 *
 * The store trusts its caller: the domain checks names, limits and permissions first.
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
    CountStore,
    ReactionStore,
    AttachmentStore,
    HeldStore,
    InvocationStore,
    RunStore,
    AuditStore,
    DeletionStore,
    TransferStore {
  /** The kind of database: `sqlite` or `postgres`. */
  readonly kind: string;
  /** Whether several daemons may use it at the same time. */
  readonly isShared: boolean;
  /** Finishes accepted writes, then closes. No method may be called after that. */
  close(): Promise<void>;
}
