import type { AuditRecord } from '../../core/ports/store/audit.ts';
import type { Run } from '../../core/ports/store/runs.ts';
import { commands as audit } from './audit.ts';
import { flag, orNull, rows, type Script, type Value } from './script.ts';

const json = (value: unknown): Value => (value === undefined ? null : JSON.stringify(value));
const parsed = <T>(text: string | null): T | undefined => (text === null ? undefined : JSON.parse(text));

/** The column of each field. */
const COLUMNS: { [Field in keyof Run]-?: [column: string, toValue: (run: Run) => Value] } = {
  id: ['id', ({ id }) => id],
  workspaceId: ['workspace_id', ({ workspaceId }) => workspaceId],
  agentId: ['agent_id', ({ agentId }) => agentId],
  request: ['request', ({ request }) => orNull(request)],
  spawned: ['spawned', ({ spawned }) => flag(spawned)],
  parentId: ['parent_id', ({ parentId }) => orNull(parentId)],
  account: ['account', ({ account }) => orNull(account)],
  cli: ['cli', ({ cli }) => cli],
  model: ['model', ({ model }) => orNull(model)],
  args: ['args', ({ args }) => json(args)],
  choices: ['choices', ({ choices }) => json(choices)],
  cwd: ['cwd', ({ cwd }) => cwd],
  worktree: ['worktree', ({ worktree }) => json(worktree)],
  version: ['version', ({ version }) => orNull(version)],
  session: ['session', ({ session }) => orNull(session)],
  host: ['host', ({ host }) => json(host)],
  program: ['program', ({ program }) => json(program)],
  startedAt: ['started_at', ({ startedAt }) => startedAt],
  readyAt: ['ready_at', ({ readyAt }) => orNull(readyAt)],
  endedAt: ['ended_at', ({ endedAt }) => orNull(endedAt)],
  exit: ['exit_status', ({ exit }) => json(exit)],
  ended: ['ended', ({ ended }) => orNull(ended)],
  result: ['result', ({ result }) => json(result)],
};

/** Kept per agent, so that frequent restarts do not fill the disk. */
const MOST_RUNS = 16;

const FIELDS = Object.keys(COLUMNS) as Array<keyof Run>;
const NAMES = FIELDS.map((field) => COLUMNS[field][0]);
const RUN = FIELDS.map((field) => `runs.${COLUMNS[field][0]} AS "${field}"`).join(', ');

interface RunRow
  extends Omit<Run, 'spawned' | 'args' | 'choices' | 'worktree' | 'host' | 'program' | 'exit' | 'result'> {
  spawned: number;
  args: string;
  choices: string | null;
  worktree: string | null;
  host: string | null;
  program: string | null;
  exit: string | null;
  result: string | null;
}

const toRun = (row: RunRow): Run => ({
  ...row,
  request: row.request ?? undefined,
  spawned: row.spawned === 1,
  parentId: row.parentId ?? undefined,
  account: row.account ?? undefined,
  model: row.model ?? undefined,
  args: JSON.parse(row.args),
  choices: parsed(row.choices),
  worktree: parsed(row.worktree),
  version: row.version ?? undefined,
  session: row.session ?? undefined,
  host: parsed(row.host),
  program: parsed(row.program),
  readyAt: row.readyAt ?? undefined,
  endedAt: row.endedAt ?? undefined,
  exit: parsed(row.exit),
  ended: row.ended ?? undefined,
  result: parsed(row.result),
});

export const queries = {
  *latestRuns(workspaceId: number): Script<Run[]> {
    const found = yield* rows<RunRow>(
      `SELECT ${RUN} FROM runs JOIN agents ON agents.id = runs.agent_id
       WHERE runs.workspace_id = ? AND agents.removed_at IS NULL AND NOT EXISTS
         (SELECT 1 FROM runs AS later WHERE later.agent_id = runs.agent_id AND (later.started_at > runs.started_at
            OR (later.started_at = runs.started_at AND later.id > runs.id)))
       ORDER BY runs.agent_id`,
      [workspaceId],
    );
    return found.map(toRun);
  },
};

export const commands = {
  *saveRun(run: Run, record?: AuditRecord): Script<void> {
    const changed = NAMES.filter((column) => column !== 'id').map(
      (column) => `${column} = excluded.${column}`,
    );
    yield* rows(
      `INSERT INTO runs (${NAMES.join(', ')}) VALUES (${NAMES.map(() => '?').join(', ')})
       ON CONFLICT (id) DO UPDATE SET ${changed.join(', ')}`,
      FIELDS.map((field) => COLUMNS[field][1](run)),
    );
    yield* rows(
      `DELETE FROM runs WHERE agent_id = ? AND id NOT IN
         (SELECT id FROM runs WHERE agent_id = ? ORDER BY started_at DESC, id DESC LIMIT ?)`,
      [run.agentId, run.agentId, MOST_RUNS],
    );
    if (record) yield* audit.appendAudit(record);
  },
};
