import type { ErrorPayload } from '@agent-relay/protocol';
import type { AuditRecord } from '../../core/ports/store/audit.ts';
import type { Invocation, InvocationEnd, KeptInvocations } from '../../core/ports/store/invocations.ts';
import { MAX_PAGE_BYTES } from '../../core/ports/store/messages.ts';
import { commands as audit } from './audit.ts';
import { rows, type Script } from './script.ts';

const INVOCATION = `workspace_id AS "workspaceId", id, action, owner, owner_id AS "ownerId", caller, caller_id AS "callerId",
  account, input, node, status, invoked_at AS "invokedAt", ended_at AS "endedAt", result, error`;

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
const bytesOf = (...parts: Array<string | null>): number =>
  parts.reduce((sum, part) => sum + Buffer.byteLength(part ?? ''), 0);

const NEWEST = 'ORDER BY invoked_at DESC, id DESC';

/** Deletes the oldest ended ones of an account that are beyond what is kept, some at a time. */
function* drop(workspaceId: number, account: string, kept: KeptInvocations): Script<void> {
  yield* rows(
    `DELETE FROM invocations WHERE workspace_id = ? AND id IN
       (SELECT id FROM
         (SELECT id, row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM invocations
          WHERE workspace_id = ? AND account = ? AND ended_at IS NOT NULL
          WINDOW newest AS (${NEWEST} ROWS UNBOUNDED PRECEDING)) AS measured
        WHERE place > ? OR total > ? ORDER BY place DESC LIMIT 100)`,
    [workspaceId, workspaceId, account, kept.invocations, kept.invocationBytes],
  );
}

export const queries = {
  *findInvocation(workspaceId: number, id: string): Script<Invocation | undefined> {
    const [row] = yield* rows<InvocationRow>(
      `SELECT ${INVOCATION} FROM invocations WHERE workspace_id = ? AND id = ?`,
      [workspaceId, id],
    );
    return row && toInvocation(row);
  },

  *listInvocations(workspaceId: number, agentId: number | undefined, limit: number): Script<Invocation[]> {
    const newestOf = (column: string) =>
      `SELECT id, invoked_at FROM invocations WHERE workspace_id = ? AND ${column} = ? ${NEWEST} LIMIT ?`;
    // Each half uses its own index.
    const own = `AND id IN (SELECT id FROM (${newestOf('caller_id')}) AS part1
      UNION SELECT id FROM (${newestOf('owner_id')}) AS part2)`;
    const half = [workspaceId, agentId ?? OWNER, limit];
    const listed = `SELECT id, invoked_at, octet_length(input) + COALESCE(octet_length(result), 0) AS size
      FROM invocations WHERE workspace_id = ? ${agentId === undefined ? '' : own} ${NEWEST} LIMIT ?`;
    // Both databases know the length of a text without reading it.
    const found = yield* rows<InvocationRow>(
      `SELECT ${INVOCATION} FROM invocations WHERE workspace_id = ? AND id IN
         (SELECT id FROM (SELECT id, sum(size) OVER (${NEWEST} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
            FROM (${listed}) AS listed) AS measured
          WHERE before IS NULL OR before <= ?) ${NEWEST}`,
      [
        ...[workspaceId, workspaceId],
        ...(agentId === undefined ? [] : [...half, ...half]),
        ...[limit, MAX_PAGE_BYTES],
      ],
    );
    return found.map(toInvocation);
  },
};

export const commands = {
  *beginInvocation(invocation: Invocation, record: AuditRecord): Script<Invocation | undefined> {
    const known = yield* queries.findInvocation(invocation.workspaceId, invocation.id);
    if (known) return known;
    const { workspaceId, id, action, owner, ownerId, caller, callerId, account, node, status, invokedAt } =
      invocation;
    const input = JSON.stringify(invocation.input);
    yield* rows(
      `INSERT INTO invocations
         (workspace_id, id, action, owner, owner_id, caller, caller_id, account, input, bytes, node, status, invoked_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[workspaceId, id, action, owner, ownerId ?? null, JSON.stringify(caller), callerId ?? OWNER],
        ...[account, input, bytesOf(input), node, status, invokedAt],
      ],
    );
    yield* audit.appendAudit(record);
    return undefined;
  },

  *endInvocation(
    ended: Invocation & InvocationEnd,
    record: AuditRecord,
    kept: KeptInvocations,
  ): Script<void> {
    const { workspaceId, id, account, status, endedAt } = ended;
    const open = yield* rows(
      'SELECT 1 AS yes FROM invocations WHERE workspace_id = ? AND id = ? AND ended_at IS NULL',
      [workspaceId, id],
    );
    if (open.length === 0) return;
    const [result, error] = [json(ended.result), json(ended.error)];
    yield* rows(
      `UPDATE invocations SET status = ?, ended_at = ?, result = ?, error = ?, bytes = bytes + ?
       WHERE workspace_id = ? AND id = ?`,
      [status, endedAt, result, error, bytesOf(result, error), workspaceId, id],
    );
    yield* drop(workspaceId, account, kept);
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
