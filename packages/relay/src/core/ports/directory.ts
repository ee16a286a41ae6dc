import type { ActionDefinition, ToolDefinition } from '@agent-relay/protocol';

/** A connection that handles calls of its agent's tools, at any daemon. Plain data: it crosses processes. */
export interface ToolServer {
  /** Unique over all daemons. */
  readonly id: string;
  readonly agentId: number;
  readonly workspaceId: number;
  readonly tools: readonly ToolDefinition[];
  readonly actions: readonly ActionDefinition[];
}

/** An action, and the connection that performs it. */
export interface ServedAction {
  readonly server: ToolServer;
  readonly action: ActionDefinition;
}

/** One connection of an agent, at any daemon. */
export interface PresentConnection {
  readonly agentId: number;
  /** The session for which a client claimed the agent's name. */
  readonly session: string | undefined;
}

/** An agent that is connected, or was a moment ago. Times are of the daemon's clock. */
export interface PresenceOfAgent {
  connections: number;
  connectedAt: number;
  /** When it last told what it offers: by connecting, or by a change while it was connected. */
  offeredAt: number;
  lastActivityAt: number;
  /** How long it has been inactive, by a monotonic clock. */
  restedMs: number;
}

/**
 * Which agents are connected, over all daemons that share the store. It answers synchronously from memory, and may lag
 * behind other daemons, never behind its own.
 */
export interface Directory {
  /** A connection was opened here. Returns whether the agent was not connected anywhere before. */
  arrived(presence: PresentConnection): { isFirst: boolean };
  /** A connection of this daemon was closed; idempotent. Returns whether it was the agent's last. */
  left(presence: PresentConnection): { isLast: boolean };
  /** The agent was active. */
  active(agentId: number): void;
  /** The agent's capabilities or tools changed. */
  offered(agentId: number): void;
  isOnline(agentId: number): boolean;
  /** Undefined for an agent that is gone: it lost its last connection and did not reconnect. */
  find(agentId: number): PresenceOfAgent | undefined;
  /** The sessions of the agent's connections; undefined for a connection without one. */
  sessionsOf(agentId: number): Array<string | undefined>;
  agentsOnline(): number;
  /** Replaces what a connection of this daemon serves; without tools and actions it stops serving. */
  serves(server: ToolServer): void;
  /** The connections that serve tools of the agent, in the order they began to. */
  serversOf(agentId: number): readonly ToolServer[];
  /** The agents of a workspace with a connection that serves a tool of this name. */
  agentsServing(workspaceId: number, tool: string): ReadonlySet<number>;
  /** The action of that key (see `actionKey`); of several connections of its agent, the one that came last. */
  findAction(workspaceId: number, key: string): ServedAction | undefined;
  /** The actions of a workspace, each key once. */
  actionsIn(workspaceId: number): ServedAction[];
  /** How long an agent without a connection may take to reconnect before it is gone. */
  readonly goneAfterMs: number;
  /** Called once for an agent that is gone, at the daemon it was last connected to. */
  onGone: (agentId: number, lastActivityAt: number) => void;
}
