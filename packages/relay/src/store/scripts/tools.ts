import type { ToolDefinition } from '@agent-relay/protocol';
import { rows, type Script } from './script.ts';

export const queries = {
  *toolsOf(agentId: number): Script<ToolDefinition[]> {
    const found = yield* rows<{ definition: string }>(
      'SELECT definition FROM agent_tools WHERE agent_id = ? ORDER BY position',
      [agentId],
    );
    return found.map(({ definition }) => JSON.parse(definition));
  },

  *toolOwners(workspaceId: number, name: string): Script<number[]> {
    const found = yield* rows<{ id: number }>(
      `SELECT DISTINCT agents.id FROM agent_tools JOIN agents ON agents.id = agent_tools.agent_id
       WHERE agent_tools.name = ? AND agents.workspace_id = ? ORDER BY agents.id`,
      [name, workspaceId],
    );
    return found.map(({ id }) => id);
  },

  *toolNames(agentIds: number[]): Script<Array<{ agentId: number; names: string[] }>> {
    const found = yield* rows<{ agentId: number; name: string }>(
      `SELECT agent_id AS "agentId", name FROM agent_tools WHERE agent_id IN {{numbers}} ORDER BY agent_id, position`,
      [JSON.stringify(agentIds)],
    );
    const byAgent = Map.groupBy(found, ({ agentId }) => agentId);
    return [...byAgent].map(([agentId, tools]) => ({ agentId, names: tools.map(({ name }) => name) }));
  },
};

export const commands = {
  *setTools(agentId: number, tools: ToolDefinition[]): Script<void> {
    yield* dropTools(agentId);
    for (const [position, tool] of tools.entries()) {
      yield* rows(
        `INSERT INTO agent_tools (agent_id, position, name, definition)
         SELECT id, CAST(? AS bigint), CAST(? AS text), CAST(? AS text) FROM agents WHERE id = ? AND removed_at IS NULL`,
        [position, tool.name, JSON.stringify(tool), agentId],
      );
    }
  },
};

export function* dropTools(agentId: number): Script<void> {
  yield* rows('DELETE FROM agent_tools WHERE agent_id = ?', [agentId]);
}
