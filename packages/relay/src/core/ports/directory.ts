import type { ToolDefinition } from '@agent-relay/protocol';

/** A connection that handles calls of its agent's tools, at any daemon. Plain data: it crosses processes. */
export interface ToolServer {
  /** Unique over all daemons. */
  readonly id: string;
  readonly agentId: number;
  readonly workspaceId: number;
  readonly tools: readonly ToolDefinition[];
}

/** One connection of an agent, at any daemon. */
export interface Presence {
  readonly agentId: number;
  /** The session for which a client claimed the agent's name. */
  readonly session: string | undefined;
}

/** An agent as it is connected now, or was a moment ago. Times are the daemon's clock. */
export interface PresenceOfAgent {
  connections: number;
  connectedAt: number;
  lastActivityAt: number;
  /** How long it has done nothing by itself, by a clock that nobody sets. */
  restedMs: number;
}

/**
 * Which agents are connected, over all daemons that share the store. It answers from memory and at once, and may lag
 * behind other daemons, never behind its own.
 */
export interface Directory {
  /** A connection was made here. Says whether the agent was not connected anywhere before. */
  arrived(presence: Presence): { isFirst: boolean };
  /** A connection of this daemon ended; twice is once. Says whether it was the agent's last. */
  left(presence: Presence): { isLast: boolean };
  /** The agent did something by itself. */
  active(agentId: number): void;
  isOnline(agentId: number): boolean;
  /** Undefined for an agent that is gone: one that lost its last connection, and stayed away. */
  find(agentId: number): PresenceOfAgent | undefined;
  /** The sessions that the agent's connections have; undefined for one without. */
  sessionsOf(agentId: number): Array<string | undefined>;
  agentsOnline(): number;
  /** Replaces what a connection of this daemon serves; without tools it serves nothing any more. */
  serves(server: ToolServer): void;
  /** The connections that serve tools of the agent, in the order they began to. */
  serversOf(agentId: number): readonly ToolServer[];
  /** The agents of a workspace with a connection that serves a tool of this name. */
  agentsServing(workspaceId: number, tool: string): ReadonlySet<number>;
  /** How long an agent that lost its last connection may take to come back before it is gone. */
  readonly goneAfterMs: number;
  /** Called once for an agent that is gone, at the daemon it left last. */
  onGone: (agentId: number) => void;
}
