import type { AuditRecord } from './audit.ts';

export interface Workspace {
  id: number;
  name: string;
  /** What it was called before, the latest name last. They are free for others. */
  formerNames: string[];
  /** What its directory in the data directory is called. It never changes, and no other workspace has it. */
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
  /** Creates a workspace; undefined if one of that name (compared without case) exists. */
  createWorkspace(workspace: {
    name: string;
    root: string | undefined;
    createdAt: number;
  }): Promise<Workspace | undefined>;
  /** All of them, oldest first. */
  listWorkspaces(): Promise<Workspace[]>;
  /** The name it had becomes a former one; the record is appended with it. False if the name is taken. */
  renameWorkspace(id: number, name: string, record: AuditRecord): Promise<boolean>;
  addKey(key: { id: string; workspaceId: number; hash: string; createdAt: number }): Promise<void>;
  /** The keys of a workspace, oldest first, the revoked ones too. */
  listKeys(workspaceId: number): Promise<WorkspaceKey[]>;
  findKey(id: string): Promise<WorkspaceKey | undefined>;
  /** Revokes one key, or all but `exceptId`; returns the ids that were valid until now. */
  revokeKeys(which: { workspaceId: number; id?: string; exceptId?: string; at: number }): Promise<string[]>;
  /** Allows, or no longer allows, an agent to write into another workspace. */
  setGrant(agentId: number, workspaceId: number, allowed: boolean): Promise<void>;
  hasGrant(agentId: number, workspaceId: number): Promise<boolean>;
}
