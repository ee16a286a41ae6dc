export interface AuditRecord {
  workspaceId: number;
  at: number;
  actor: string;
  action: string;
  subject: string;
  detail: Record<string, unknown> | undefined;
}

export interface AuditStore {
  /** Append-only: there is no way to change or remove a record. */
  appendAudit(record: AuditRecord): Promise<void>;
  /** The newest records of a workspace, newest first. */
  listAudit(workspaceId: number, limit: number): Promise<AuditRecord[]>;
}
