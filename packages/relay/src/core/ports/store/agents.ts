import type { AgentGrant, AgentType, Attention, Capability } from '@agent-relay/protocol';
import type { AuditRecord } from './audit.ts';
import type { Run } from './runs.ts';

/** The profile of an agent, without its tools; changes with each HELLO. */
export interface AgentProfile {
  cli: string | undefined;
  task: string | undefined;
  parent: string | undefined;
  capabilities: Capability[];
  mcpEnabled: boolean;
}

/** Fields only the owner can set. */
export interface AgentStanding {
  type: AgentType;
  lead: boolean;
  grants: readonly AgentGrant[];
}

export interface Agent extends AgentProfile, AgentStanding {
  id: number;
  workspaceId: number;
  name: string;
  /** A second name, without `@`. */
  handle: string | undefined;
  ephemeral: boolean;
  /** When it wants its messages while it works. */
  attention: Attention | undefined;
  /** The client program that chose the name, and may use it again. */
  registeredBy: string | undefined;
  /** The client program that was last connected as this agent. */
  heldBy: string | undefined;
  /** The account its name counts for (see `core/governance/accounts.ts`); unknown for old ones. */
  account: string | undefined;
  /** SHA-256 of the agent token, in hex. */
  tokenHash: string;
  createdAt: number;
  lastSeenAt: number;
}

export type NewAgent = Omit<Agent, 'id' | 'lastSeenAt'>;

/** What is stored in the same transaction as a new agent. */
export interface WithAgent {
  records: readonly AuditRecord[];
  /** The run it is registered for: a spawned agent has one from the start. */
  run?: Omit<Run, 'agentId'> | undefined;
}

export type AgentChanges = Partial<
  AgentProfile &
    AgentStanding & {
      attention: Attention | undefined;
      heldBy: string;
      tokenHash: string;
      lastSeenAt: number;
    }
>;

export interface AgentStore {
  /**
   * Registers an agent; undefined if another agent of the workspace has its name or handle, ignoring case, or one
   * that looks like it.
   */
  createAgent(agent: NewAgent, together?: WithAgent): Promise<Agent | undefined>;
  findAgent(workspaceId: number, name: string): Promise<Agent | undefined>;
  /** The agent that holds the token, in any workspace. */
  findAgentByToken(tokenHash: string): Promise<Agent | undefined>;
  /** The agents of a workspace, in order of registration, without removed ones. */
  listAgents(workspaceId: number): Promise<Agent[]>;
  /** How many agents each workspace has. */
  countAgents(): Promise<Array<{ workspaceId: number; agents: number }>>;
  updateAgent(id: number, changes: AgentChanges): Promise<void>;
  /**
   * Appends the record in the same transaction. False if the name, or one that looks like it, is taken. An agent
   * renamed to its handle no longer has a handle.
   */
  renameAgent(id: number, name: string, record: AuditRecord): Promise<boolean>;
  /** False if another agent has it as a name or handle, or one that looks like it. */
  setHandle(id: number, handle: string): Promise<boolean>;
  /** Removes an agent: its name and handle are free again, its messages stay. */
  removeAgent(id: number, at: number): Promise<void>;
}
