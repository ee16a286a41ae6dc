import type { AuditRecord } from './audit.ts';

export interface Workspace {
  id: number;
  name: string;
  /** Former names, latest last. Other workspaces may use them. */
  formerNames: string[];
  /** The name of its directory in the data directory. Unique, and never changes. */
  directory: string;
  /** The directory it was created for, if any. */
  root: string | undefined;
  createdAt: number;
}

export interface WorkspaceKey {
  id: string;
  workspaceId: number;
  /** SHA-256 of the key, in hex. */
  hash: string;
  createdAt: number;
  revokedAt: number | undefined;
}

export interface WorkspaceStore {
  /** Creates a workspace; undefined if one with that name (ignoring case) exists. */
  createWorkspace(workspace: {
    name: string;
    root: string | undefined;
    createdAt: number;
  }): Promise<Workspace | undefined>;
  /** All of them, oldest first. */
  listWorkspaces(): Promise<Workspace[]>;
  /** The old name becomes a former one; appends the record in the same transaction. False if the name is taken. */
  renameWorkspace(id: number, name: string, record: AuditRecord): Promise<boolean>;
  addKey(key: { id: string; workspaceId: number; hash: string; createdAt: number }): Promise<void>;
  /** The keys of a workspace, oldest first, including revoked ones. */
  listKeys(workspaceId: number): Promise<WorkspaceKey[]>;
  findKey(id: string): Promise<WorkspaceKey | undefined>;
  /** Revokes one key, or all except `exceptId`; returns the ids that were valid until now. */
  revokeKeys(which: { workspaceId: number; id?: string; exceptId?: string; at: number }): Promise<string[]>;
  /** Allows an agent to write to another workspace, or revokes that. */
  setGrant(agentId: number, workspaceId: number, allowed: boolean): Promise<void>;
  hasGrant(agentId: number, workspaceId: number): Promise<boolean>;
}
