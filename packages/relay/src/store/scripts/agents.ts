import { nameKey, nameSkeleton } from '@agent-relay/protocol';
import type { Agent, AgentChanges, NewAgent, WithAgent } from '../../core/ports/store/agents.ts';
import type { AuditRecord } from '../../core/ports/store/audit.ts';
import { commands as audit } from './audit.ts';
import { commands as runs } from './runs.ts';
import { flag, orNull, rows, type Script, type Value } from './script.ts';
import { dropTools } from './tools.ts';

type AgentFields = Partial<Omit<Agent, 'id' | 'workspaceId' | 'name' | 'handle' | 'createdAt'>>;

/** The columns of each field, except names and derived values. */
const COLUMNS: {
  [Field in keyof Required<AgentFields>]: [column: string, toValue: (agent: AgentFields) => Value];
} = {
  type: ['type', ({ type }) => orNull(type)],
  lead: ['is_lead', ({ lead }) => flag(lead === true)],
  grants: ['grants', ({ grants }) => JSON.stringify(grants ?? [])],
  attention: ['attention', ({ attention }) => orNull(attention)],
  ephemeral: ['ephemeral', ({ ephemeral }) => flag(ephemeral === true)],
  cli: ['cli', ({ cli }) => orNull(cli)],
  task: ['task', ({ task }) => orNull(task)],
  parent: ['parent', ({ parent }) => orNull(parent)],
  capabilities: ['capabilities', ({ capabilities }) => JSON.stringify(capabilities)],
  mcpEnabled: ['mcp_enabled', ({ mcpEnabled }) => flag(mcpEnabled === true)],
  registeredBy: ['registered_by', ({ registeredBy }) => orNull(registeredBy)],
  heldBy: ['held_by', ({ heldBy }) => orNull(heldBy)],
  account: ['account', ({ account }) => orNull(account)],
  tokenHash: ['token_hash', ({ tokenHash }) => orNull(tokenHash)],
  lastSeenAt: ['last_seen_at', ({ lastSeenAt }) => orNull(lastSeenAt)],
};

const FIELDS = Object.keys(COLUMNS) as Array<keyof AgentFields>;
const AGENT = [
  'id, workspace_id AS "workspaceId", name, handle, created_at AS "createdAt"',
  ...FIELDS.map((field) => `${COLUMNS[field][0]} AS "${field}"`),
].join(', ');

interface AgentRow extends Omit<Agent, 'lead' | 'grants' | 'ephemeral' | 'mcpEnabled' | 'capabilities'> {
  lead: number;
  grants: string;
  ephemeral: number;
  mcpEnabled: number;
  capabilities: string;
}

const toAgent = (row: AgentRow): Agent => ({
  ...row,
  lead: row.lead === 1,
  grants: JSON.parse(row.grants),
  ephemeral: row.ephemeral === 1,
  mcpEnabled: row.mcpEnabled === 1,
  attention: row.attention ?? undefined,
  handle: row.handle ?? undefined,
  cli: row.cli ?? undefined,
  task: row.task ?? undefined,
  parent: row.parent ?? undefined,
  registeredBy: row.registeredBy ?? undefined,
  heldBy: row.heldBy ?? undefined,
  account: row.account ?? undefined,
  capabilities: JSON.parse(row.capabilities),
});

export const queries = {
  *findAgent(workspaceId: number, name: string): Script<Agent | undefined> {
    const [row] = yield* rows<AgentRow>(
      `SELECT ${AGENT} FROM agents WHERE workspace_id = ? AND lower(name) = lower(?) AND removed_at IS NULL`,
      [workspaceId, name],
    );
    return row && toAgent(row);
  },

  *findAgentByToken(tokenHash: string): Script<Agent | undefined> {
    const [row] = yield* rows<AgentRow>(
      `SELECT ${AGENT} FROM agents WHERE token_hash = ? AND removed_at IS NULL`,
      [tokenHash],
    );
    return row && toAgent(row);
  },

  *listAgents(workspaceId: number): Script<Agent[]> {
    const found = yield* rows<AgentRow>(
      `SELECT ${AGENT} FROM agents WHERE workspace_id = ? AND removed_at IS NULL ORDER BY id`,
      [workspaceId],
    );
    return found.map(toAgent);
  },

  *countAgents(): Script<Array<{ workspaceId: number; agents: number }>> {
    return yield* rows<{ workspaceId: number; agents: number }>(
      `SELECT workspace_id AS "workspaceId", count(*) AS agents FROM agents
       WHERE removed_at IS NULL GROUP BY workspace_id ORDER BY workspace_id`,
    );
  },
};

/** Whether an agent of the workspace, other than `exceptId`, has one of the names as a name or handle, or one that looks like it. */
export function* isTaken(workspaceId: number, names: string[], exceptId = 0): Script<boolean> {
  for (const name of names) {
    const skeleton = nameSkeleton(name);
    const others = yield* rows(
      `SELECT 1 AS yes FROM agents WHERE workspace_id = ? AND id <> ? AND removed_at IS NULL
         AND (lower(name) = lower(?) OR skeleton = ? OR lower(handle) = lower(?) OR handle_skeleton = ?) LIMIT 1`,
      [workspaceId, exceptId, name, skeleton, name, skeleton],
    );
    if (others.length > 0) return true;
  }
  return false;
}

export const commands = {
  *createAgent(agent: NewAgent, { records, run }: WithAgent = { records: [] }): Script<Agent | undefined> {
    const { workspaceId, name, handle } = agent;
    if (yield* isTaken(workspaceId, handle === undefined ? [name] : [name, handle])) return undefined;
    const seen = { ...agent, lastSeenAt: agent.createdAt };
    const [row] = yield* rows<AgentRow>(
      `INSERT INTO agents (workspace_id, name, skeleton, handle, handle_skeleton, created_at, ${FIELDS.map((field) => COLUMNS[field][0]).join(', ')})
       VALUES (?, ?, ?, ?, ?, ?, ${FIELDS.map(() => '?').join(', ')})
       ON CONFLICT DO NOTHING RETURNING ${AGENT}`,
      [
        workspaceId,
        name,
        nameSkeleton(name),
        orNull(handle),
        orNull(handle && nameSkeleton(handle)),
        agent.createdAt,
        ...FIELDS.map((field) => COLUMNS[field][1](seen)),
      ],
    );
    if (!row) return undefined;
    if (run) yield* runs.saveRun({ ...run, agentId: row.id });
    for (const record of records) yield* audit.appendAudit(record);
    return toAgent(row);
  },

  *updateAgent(id: number, changes: AgentChanges): Script<void> {
    const changed = FIELDS.filter((field) => Object.hasOwn(changes, field));
    if (changed.length === 0) return;
    yield* rows(
      `UPDATE agents SET ${changed.map((field) => `${COLUMNS[field][0]} = ?`).join(', ')} WHERE id = ?`,
      [...changed.map((field) => COLUMNS[field][1](changes)), id],
    );
  },

  *renameAgent(id: number, name: string, record: AuditRecord): Script<boolean> {
    const [agent] = yield* rows<{ workspaceId: number; handle: string | null }>(
      'SELECT workspace_id AS "workspaceId", handle FROM agents WHERE id = ?',
      [id],
    );
    if (!agent || (yield* isTaken(agent.workspaceId, [name], id))) return false;
    const handle = nameKey(agent.handle ?? name) === nameKey(name) ? null : agent.handle;
    yield* rows('UPDATE agents SET name = ?, skeleton = ?, handle = ?, handle_skeleton = ? WHERE id = ?', [
      name,
      nameSkeleton(name),
      handle,
      handle && nameSkeleton(handle),
      id,
    ]);
    yield* audit.appendAudit(record);
    return true;
  },

  *setHandle(id: number, handle: string): Script<boolean> {
    const [agent] = yield* rows<{ workspaceId: number }>(
      'SELECT workspace_id AS "workspaceId" FROM agents WHERE id = ?',
      [id],
    );
    if (!agent || (yield* isTaken(agent.workspaceId, [handle], id))) return false;
    yield* rows('UPDATE agents SET handle = ?, handle_skeleton = ? WHERE id = ?', [
      handle,
      nameSkeleton(handle),
      id,
    ]);
    return true;
  },

  *removeAgent(id: number, at: number): Script<void> {
    yield* rows('UPDATE agents SET removed_at = ? WHERE id = ? AND removed_at IS NULL', [at, id]);
    yield* rows('DELETE FROM members WHERE agent_id = ?', [id]);
    yield* rows('DELETE FROM grants WHERE agent_id = ?', [id]);
    yield* dropTools(id);
  },
};
