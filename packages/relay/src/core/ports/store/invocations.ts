import type { ErrorPayload, InvocationStatus, ToolCaller } from '@agent-relay/protocol';
import type { AuditRecord } from './audit.ts';

/** An invoked action: it is never run again. */
export interface Invocation {
  workspaceId: number;
  /** Unique in the workspace. */
  id: string;
  action: string;
  /** Who performs it: an agent, or an MCP server, which has no id. */
  owner: string;
  ownerId: number | undefined;
  caller: ToolCaller;
  /** The agent that invoked it; undefined for the owner of the daemon. */
  callerId: number | undefined;
  /** The account it counts for. */
  account: string;
  input: Record<string, unknown>;
  /** The daemon that handles it. */
  node: string;
  status: InvocationStatus;
  invokedAt: number;
  endedAt: number | undefined;
  result: unknown;
  error: ErrorPayload | undefined;
}

export interface InvocationEnd extends Pick<Invocation, 'status' | 'result' | 'error'> {
  endedAt: number;
}

/** How many ended invocations of one account stay, and how many bytes of JSON. */
export interface KeptInvocations {
  invocations: number;
  invocationBytes: number;
}

export interface InvocationStore {
  /**
   * Stores that an action is invoked, with a record in the audit log. If the workspace has an invocation of that id, nothing
   * is stored and that one is returned.
   */
  beginInvocation(invocation: Invocation, record: AuditRecord): Promise<Invocation | undefined>;
  /** How it ended; the first end stays. Of the ended ones of its account the newest stay, as many as `kept` allows. */
  endInvocation(ended: Invocation & InvocationEnd, record: AuditRecord, kept: KeptInvocations): Promise<void>;
  /** Ends those that a daemon left open when it stopped; their outcome is unknown. Returns how many. */
  loseInvocations(node: string, at: number, error: ErrorPayload): Promise<number>;
  findInvocation(workspaceId: number, id: string): Promise<Invocation | undefined>;
  /**
   * The newest, newest first; only those that the agent invoked or performs, if one is given. Ends before `limit` at the
   * one that takes the page over `MAX_PAGE_BYTES`.
   */
  listInvocations(workspaceId: number, agentId: number | undefined, limit: number): Promise<Invocation[]>;
}
