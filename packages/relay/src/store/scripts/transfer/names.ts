import { MAX_TIME, possibleTime, RelayError } from '@agent-relay/protocol';
import { rows, type Script } from '../script.ts';

/** How exports refer to agents and conversations, whose ids mean nothing elsewhere; see `TransferRecord`. */

interface Named {
  id: number;
  workspaceId: number | null;
  name: string;
  createdAt: number;
  removedAt: number | null;
}

const agentName = (workspaceId: number, { name, createdAt, removedAt, ...agent }: Named): string => {
  const former = `${name}@${possibleTime(createdAt)}`;
  if (agent.workspaceId !== workspaceId) return `:${former}`;
  return removedAt === null ? name : former;
};

export function* agentNames(workspaceId: number, ids: number[]): Script<(id: number) => string> {
  const found = yield* rows<Named>(
    `SELECT id, workspace_id AS "workspaceId", name, created_at AS "createdAt", removed_at AS "removedAt"
     FROM agents WHERE id IN {{numbers}}`,
    [JSON.stringify([...new Set(ids)])],
  );
  const names = new Map(found.map((agent) => [agent.id, agentName(workspaceId, agent)]));
  return (id) => names.get(id) ?? ':a-removed-agent@0';
}

const KEY_OF_AGENTS = /^\d+(:\d+)*$/;
const idsIn = (key: string): number[] => (KEY_OF_AGENTS.test(key) ? key.split(':').map(Number) : []);

export function* conversationNames(workspaceId: number, keys: string[]): Script<(key: string) => string> {
  const name = yield* agentNames(workspaceId, keys.flatMap(idsIn));
  return (key) => (KEY_OF_AGENTS.test(key) ? idsIn(key).map(name).sort().join(' ') : key);
}

/** Resolves the names of an export in one workspace, with a cache. */
export class NameLookup {
  readonly #workspaceId: number;
  readonly #agents = new Map<string, number>();
  readonly #conversations = new Map<string, number>();

  constructor(workspaceId: number) {
    this.#workspaceId = workspaceId;
  }

  *agent(name: string): Script<number> {
    const id = this.#agents.get(name) ?? (yield* this.findAgent(name)) ?? (yield* this.#addForeign(name));
    this.#agents.set(name, id);
    return id;
  }

  /** The agent with a name, if it exists here. */
  *findAgent(reference: string): Script<number | undefined> {
    const { name, createdAt, foreign } = parsed(reference);
    const [found] =
      createdAt === undefined
        ? yield* rows<{ id: number }>(
            'SELECT id FROM agents WHERE workspace_id = ? AND lower(name) = lower(?) AND removed_at IS NULL',
            [this.#workspaceId, name],
          )
        : yield* rows<{ id: number }>(
            `SELECT id FROM agents WHERE lower(name) = lower(?) AND created_at ${createdAt === MAX_TIME ? '>=' : '='} ?
               AND removed_at IS NOT NULL AND ${foreign ? 'workspace_id IS NULL' : 'workspace_id = ?'} ORDER BY id LIMIT 1`,
            foreign ? [name, createdAt] : [name, createdAt, this.#workspaceId],
          );
    return found?.id;
  }

  *conversation(name: string): Script<number> {
    const key = yield* this.key(name);
    const known = this.#conversations.get(key);
    if (known !== undefined) return known;
    const [found] = yield* rows<{ id: number }>(
      'SELECT id FROM conversations WHERE workspace_id = ? AND key = ?',
      [this.#workspaceId, key],
    );
    if (!found) throw unknown('conversation', name);
    this.#conversations.set(key, found.id);
    return found.id;
  }

  /** The key of a conversation here. */
  *key(name: string): Script<string> {
    if (name === '*' || name.startsWith('#')) return name;
    const ids: number[] = [];
    for (const each of name.split(' ')) ids.push(yield* this.agent(each));
    return ids.sort((one, other) => one - other).join(':');
  }

  /** Only the name of an agent of another project is known, which is enough. */
  *#addForeign(reference: string): Script<number> {
    const { name, createdAt, foreign } = parsed(reference);
    if (!foreign || createdAt === undefined) throw unknown('agent', reference);
    const [added] = yield* rows<{ id: number }>(
      `INSERT INTO agents (name, type, is_lead, ephemeral, capabilities, mcp_enabled, token_hash,
         created_at, last_seen_at, removed_at)
       VALUES (?, 'agent', 0, 0, '[]', 0, '', ?, ?, ?) RETURNING id`,
      [name, createdAt, createdAt, createdAt],
    );
    return (added as { id: number }).id;
  }
}

function parsed(reference: string): { name: string; createdAt: number | undefined; foreign: boolean } {
  const foreign = reference.startsWith(':');
  const [name = '', time] = reference.slice(foreign ? 1 : 0).split('@');
  return { name, createdAt: time === undefined ? undefined : Number(time), foreign };
}

const unknown = (what: string, name: string): RelayError =>
  new RelayError('InvalidRequest', `The export refers to the ${what} "${name}" before defining it.`);
