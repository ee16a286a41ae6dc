import type { AuditRecord } from '../../core/ports/store/audit.ts';
import { rows, type Script } from './script.ts';

export const queries = {
  *listAudit(workspaceId: number, limit: number): Script<AuditRecord[]> {
    const found = yield* rows<Omit<AuditRecord, 'detail'> & { detail: string | null }>(
      `SELECT workspace_id AS "workspaceId", at, actor, action, subject, detail FROM audit
       WHERE workspace_id = ? ORDER BY seq DESC LIMIT ?`,
      [workspaceId, limit],
    );
    return found.map((row) => ({ ...row, detail: row.detail === null ? undefined : JSON.parse(row.detail) }));
  },
};

export const commands = {
  *appendAudit(record: AuditRecord): Script<void> {
    yield* rows(
      'INSERT INTO audit (workspace_id, at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?)',
      [
        record.workspaceId,
        record.at,
        record.actor,
        record.action,
        record.subject,
        record.detail === undefined ? null : JSON.stringify(record.detail),
      ],
    );
  },
};
