import type { AuditRecord } from '../../core/ports/store/audit.ts';
import type { Workspace, WorkspaceKey } from '../../core/ports/store/workspaces.ts';
import { commands as audit } from './audit.ts';
import { orNull, rows, type Script } from './script.ts';

const WORKSPACE = 'id, name, former_names AS "formerNames", directory, root, created_at AS "createdAt"';
const KEY = 'id, workspace_id AS "workspaceId", hash, created_at AS "createdAt", revoked_at AS "revokedAt"';

type WorkspaceRow = Omit<Workspace, 'root' | 'formerNames'> & { root: string | null; formerNames: string };
type KeyRow = Omit<WorkspaceKey, 'revokedAt'> & { revokedAt: number | null };

const toWorkspace = (row: WorkspaceRow): Workspace => ({
  ...row,
  formerNames: JSON.parse(row.formerNames),
  root: row.root ?? undefined,
});
const toKey = (row: KeyRow): WorkspaceKey => ({ ...row, revokedAt: row.revokedAt ?? undefined });

export const queries = {
  *listWorkspaces(): Script<Workspace[]> {
    return (yield* rows<WorkspaceRow>(`SELECT ${WORKSPACE} FROM workspaces ORDER BY id`)).map(toWorkspace);
  },

  *listKeys(workspaceId: number): Script<WorkspaceKey[]> {
    const found = yield* rows<KeyRow>(
      `SELECT ${KEY} FROM workspace_keys WHERE workspace_id = ? ORDER BY created_at, id`,
      [workspaceId],
    );
    return found.map(toKey);
  },

  *findKey(id: string): Script<WorkspaceKey | undefined> {
    const [row] = yield* rows<KeyRow>(`SELECT ${KEY} FROM workspace_keys WHERE id = ?`, [id]);
    return row && toKey(row);
  },

  *hasGrant(agentId: number, workspaceId: number): Script<boolean> {
    const found = yield* rows('SELECT 1 AS yes FROM grants WHERE agent_id = ? AND workspace_id = ?', [
      agentId,
      workspaceId,
    ]);
    return found.length > 0;
  },
};

/** The name of the workspace, with a number if another one still has that directory. No name contains ~. */
function* freeDirectory(name: string): Script<string> {
  for (let number = 1; ; number++) {
    const directory = number === 1 ? name : `${name}~${number}`;
    const taken = yield* rows('SELECT 1 AS yes FROM workspaces WHERE lower(directory) = lower(?)', [
      directory,
    ]);
    if (taken.length === 0) return directory;
  }
}

export const commands = {
  *createWorkspace(workspace: {
    name: string;
    root: string | undefined;
    createdAt: number;
  }): Script<Workspace | undefined> {
    const directory = yield* freeDirectory(workspace.name);
    const [row] = yield* rows<WorkspaceRow>(
      `INSERT INTO workspaces (name, former_names, directory, root, created_at) VALUES (?, '[]', ?, ?, ?)
       ON CONFLICT DO NOTHING RETURNING ${WORKSPACE}`,
      [workspace.name, directory, orNull(workspace.root), workspace.createdAt],
    );
    return row && toWorkspace(row);
  },

  *renameWorkspace(id: number, name: string, record: AuditRecord): Script<boolean> {
    const taken = yield* rows('SELECT 1 AS yes FROM workspaces WHERE lower(name) = lower(?) AND id <> ?', [
      name,
      id,
    ]);
    const [row] = yield* rows<WorkspaceRow>(`SELECT ${WORKSPACE} FROM workspaces WHERE id = ?`, [id]);
    if (taken.length > 0 || !row) return false;
    const before = toWorkspace(row);
    const formerNames = [...before.formerNames.filter((former) => former !== before.name), before.name];
    yield* rows('UPDATE workspaces SET name = ?, former_names = ? WHERE id = ?', [
      name,
      JSON.stringify(formerNames),
      id,
    ]);
    yield* audit.appendAudit(record);
    return true;
  },

  *addKey(key: { id: string; workspaceId: number; hash: string; createdAt: number }): Script<void> {
    yield* rows('INSERT INTO workspace_keys (id, workspace_id, hash, created_at) VALUES (?, ?, ?, ?)', [
      key.id,
      key.workspaceId,
      key.hash,
      key.createdAt,
    ]);
  },

  *revokeKeys(which: { workspaceId: number; id?: string; exceptId?: string; at: number }): Script<string[]> {
    const conditions = ['workspace_id = ?', 'revoked_at IS NULL'];
    const params = [which.at, which.workspaceId] as Array<string | number>;
    if (which.id !== undefined) {
      conditions.push('id = ?');
      params.push(which.id);
    }
    if (which.exceptId !== undefined) {
      conditions.push('id <> ?');
      params.push(which.exceptId);
    }
    const revoked = yield* rows<{ id: string }>(
      `UPDATE workspace_keys SET revoked_at = ? WHERE ${conditions.join(' AND ')} RETURNING id`,
      params,
    );
    return revoked.map(({ id }) => id);
  },

  *setGrant(agentId: number, workspaceId: number, allowed: boolean): Script<void> {
    yield* rows(
      allowed
        ? 'INSERT INTO grants (agent_id, workspace_id) VALUES (?, ?) ON CONFLICT DO NOTHING'
        : 'DELETE FROM grants WHERE agent_id = ? AND workspace_id = ?',
      [agentId, workspaceId],
    );
  },
};
