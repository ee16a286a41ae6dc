import type { ErrorPayload } from '@agent-relay/protocol';
import type { AuditRecord } from '../../core/ports/store/audit.ts';
import type { Invocation, InvocationEnd } from '../../core/ports/store/invocations.ts';
import { commands as audit } from './audit.ts';
import { rows, type Script } from './script.ts';

const INVOCATION = `workspace_id AS "workspaceId", id, action, owner, owner_id AS "ownerId", caller, caller_id AS "callerId",
  input, node, status, invoked_at AS "invokedAt", ended_at AS "endedAt", result, error`;

/** No agent has this id. */
const OWNER = 0;

type Nullable<T> = {
  [Key in keyof T]: undefined extends T[Key] ? Exclude<T[Key], undefined> | null : T[Key];
};
type InvocationRow = Nullable<Omit<Invocation, 'caller' | 'callerId' | 'input' | 'result' | 'error'>> & {
  callerId: number;
  caller: string;
  input: string;
  result: string | null;
  error: string | null;
};

const toInvocation = (row: InvocationRow): Invocation => ({
  ...row,
  ownerId: row.ownerId ?? undefined,
  callerId: row.callerId === OWNER ? undefined : row.callerId,
  endedAt: row.endedAt ?? undefined,
  caller: JSON.parse(row.caller),
  input: JSON.parse(row.input),
  result: row.result === null ? undefined : JSON.parse(row.result),
  error: row.error === null ? undefined : JSON.parse(row.error),
});

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

export const queries = {
  *findInvocation(workspaceId: number, id: string): Script<Invocation | undefined> {
    const [row] = yield* rows<InvocationRow>(
      `SELECT ${INVOCATION} FROM invocations WHERE workspace_id = ? AND id = ?`,
      [workspaceId, id],
    );
    return row && toInvocation(row);
  },

  *listInvocations(workspaceId: number, agentId: number | undefined, limit: number): Script<Invocation[]> {
    const newest = 'ORDER BY invoked_at DESC, id DESC LIMIT ?';
    const newestOf = (column: string) =>
      `SELECT id, invoked_at FROM invocations WHERE workspace_id = ? AND ${column} = ? ${newest}`;
    // Each half by an index of its own.
    const own = `AND id IN (SELECT id FROM (${newestOf('caller_id')}) AS part1
      UNION SELECT id FROM (${newestOf('owner_id')}) AS part2)`;
    const half = [workspaceId, agentId ?? OWNER, limit];
    const found = yield* rows<InvocationRow>(
      `SELECT ${INVOCATION} FROM invocations WHERE workspace_id = ? ${agentId === undefined ? '' : own} ${newest}`,
      [workspaceId, ...(agentId === undefined ? [] : [...half, ...half]), limit],
    );
    return found.map(toInvocation);
  },
};

export const commands = {
  *beginInvocation(
    invocation: Invocation,
    record: AuditRecord,
    keep: number,
  ): Script<Invocation | undefined> {
    const known = yield* queries.findInvocation(invocation.workspaceId, invocation.id);
    if (known) return known;
    const { workspaceId, id, action, owner, ownerId, caller, callerId, input, node, status, invokedAt } =
      invocation;
    yield* rows(
      `INSERT INTO invocations (workspace_id, id, action, owner, owner_id, caller, caller_id, input, node, status, invoked_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[workspaceId, id, action, owner, ownerId ?? null, JSON.stringify(caller), callerId ?? OWNER],
        ...[JSON.stringify(input), node, status, invokedAt],
      ],
    );
    yield* rows(
      `DELETE FROM invocations WHERE workspace_id = ? AND caller_id = ? AND id IN
         (SELECT id FROM invocations WHERE workspace_id = ? AND caller_id = ? AND ended_at IS NOT NULL
          ORDER BY invoked_at DESC, id DESC LIMIT 100 OFFSET ?)`,
      [workspaceId, callerId ?? OWNER, workspaceId, callerId ?? OWNER, keep],
    );
    yield* audit.appendAudit(record);
    return undefined;
  },

  *endInvocation(workspaceId: number, id: string, end: InvocationEnd, record: AuditRecord): Script<void> {
    const open = yield* rows(
      'SELECT 1 AS yes FROM invocations WHERE workspace_id = ? AND id = ? AND ended_at IS NULL',
      [workspaceId, id],
    );
    if (open.length === 0) return;
    yield* rows(
      'UPDATE invocations SET status = ?, ended_at = ?, result = ?, error = ? WHERE workspace_id = ? AND id = ?',
      [end.status, end.endedAt, json(end.result), json(end.error), workspaceId, id],
    );
    yield* audit.appendAudit(record);
  },

  *loseInvocations(node: string, at: number, error: ErrorPayload): Script<number> {
    const open = yield* rows<{ id: string }>(
      'SELECT id FROM invocations WHERE node = ? AND ended_at IS NULL',
      [node],
    );
    if (open.length > 0)
      yield* rows(
        `UPDATE invocations SET status = 'unknown', ended_at = ?, error = ? WHERE node = ? AND ended_at IS NULL`,
        [at, JSON.stringify(error), node],
      );
    return open.length;
  },
};
