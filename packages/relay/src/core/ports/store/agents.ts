import type { AgentType } from '@agent-relay/protocol';
import type { AuditRecord } from './audit.ts';

/** What an agent says about itself, its tools aside; changes with each HELLO. */
export interface AgentProfile {
  cli: string | undefined;
  task: string | undefined;
  parent: string | undefined;
  capabilities: string[];
  mcpEnabled: boolean;
}

/** What the owner decides about an agent. */
export interface AgentStanding {
  type: AgentType;
  lead: boolean;
}

export interface Agent extends AgentProfile, AgentStanding {
  id: number;
  workspaceId: number;
  name: string;
  /** A second name, without `@`. */
  handle: string | undefined;
  ephemeral: boolean;
  /** The client program that chose the name by itself, and may come back to it. */
  registeredBy: string | undefined;
  /** The client program that was connected as this agent last. */
  heldBy: string | undefined;
  /** Whom it counts for among the registered names (see `core/governance/accounts.ts`); unknown of old ones. */
  account: string | undefined;
  /** SHA-256 of the agent token, in hex. */
  tokenHash: string;
  createdAt: number;
  lastSeenAt: number;
}

export type NewAgent = Omit<Agent, 'id' | 'lastSeenAt'>;

export type AgentChanges = Partial<
  AgentProfile & AgentStanding & { heldBy: string; tokenHash: string; lastSeenAt: number }
>;

export interface AgentStore {
  /**
   * Registers an agent; undefined if another one of the workspace has its name or handle, compared without case, or one
   * that looks like it.
   */
  createAgent(agent: NewAgent): Promise<Agent | undefined>;
  findAgent(workspaceId: number, name: string): Promise<Agent | undefined>;
  /** The agent that holds the token, in whatever workspace. */
  findAgentByToken(tokenHash: string): Promise<Agent | undefined>;
  /** The agents of a workspace, in the order they were registered; those removed are not among them. */
  listAgents(workspaceId: number): Promise<Agent[]>;
  /** How many agents each workspace has. */
  countAgents(): Promise<Array<{ workspaceId: number; agents: number }>>;
  updateAgent(id: number, changes: AgentChanges): Promise<void>;
  /**
   * The record is appended with it. False if the name, or one that looks like it, is taken. An agent that gets its handle
   * for a name has no handle any more.
   */
  renameAgent(id: number, name: string, record: AuditRecord): Promise<boolean>;
  /** False if somebody else has the handle as a name or handle, or one that looks like it. */
  setHandle(id: number, handle: string): Promise<boolean>;
  /** Takes an agent away: its name and handle are free again, what it sent stays. */
  removeAgent(id: number, at: number): Promise<void>;
}
