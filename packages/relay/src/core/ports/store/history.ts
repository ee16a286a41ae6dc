import type { MessageKind } from '@agent-relay/protocol';
import type { StoredMessage } from './messages.ts';

/**
 * The viewer of a query. An agent sees a message if it sent it, if it was delivered to it, or if it is
 * in `#general` or in a channel the agent is a member of. `undefined` is the owner, who sees the whole workspace.
 */
export type Viewer = number | undefined;

export interface HistoryQuery {
  /** The workspace of the messages; an agent also finds what it sent to other workspaces. */
  workspaceId: number;
  viewer: Viewer;
  /** Only this conversation. */
  conversationId?: number;
  /** Only messages sent by, or delivered to, this agent. */
  involvingId?: number;
  thread?: string;
  kind?: MessageKind;
  /** Created at or after this time. */
  since?: number;
  /** Cursors: only seq < before, only seq > after. */
  before?: number;
  after?: number;
  limit: number;
}

export interface HistoryStore {
  /** A page in order of seq: the newest before `before` (or of all), or, with `after`, the oldest after it. */
  history(query: HistoryQuery): Promise<StoredMessage[]>;
  /** A message the viewer can see. The sender and the recipients of a message from another project can see it too. */
  visibleMessage(viewer: Viewer, workspaceId: number, id: string): Promise<StoredMessage | undefined>;
}
