import type { Migration } from './migration.ts';

/** Larger tools are dropped: clients send them again each time they connect. */
const MOST_TOOL_BYTES = 512 * 1024;

/**
 * Whose quota an agent, a channel or a file counts for. And tools in their own table: they may be large and are
 * rarely read, and the row of an agent is written often.
 */
export const quotas: Migration = [
  'ALTER TABLE agents ADD COLUMN account {{text}}',
  'ALTER TABLE conversations ADD COLUMN account {{text}}',
  'ALTER TABLE attachments ADD COLUMN account {{text}}',
  `CREATE TABLE agent_tools (
    agent_id bigint NOT NULL,
    position bigint NOT NULL,
    name {{text}} NOT NULL,
    definition {{text}} NOT NULL,
    PRIMARY KEY (agent_id, position)
  )`,
  {
    sqlite: `INSERT INTO agent_tools (agent_id, position, name, definition)
      SELECT agents.id, tool.key, tool.value ->> 'name', tool.value FROM agents, json_each(agents.tools) AS tool
      WHERE octet_length(agents.tools) <= ${MOST_TOOL_BYTES} AND agents.removed_at IS NULL`,
    // Not `value ->> 'name'`, which fails on escapes of characters that PostgreSQL does not have. The name comes first.
    postgres: `INSERT INTO agent_tools (agent_id, position, name, definition)
      SELECT agents.id, tool.number - 1, substring(tool.value::text from '"name":"([^"]+)"'), tool.value::text
      FROM agents, json_array_elements(agents.tools::json) WITH ORDINALITY AS tool (value, number)
      WHERE octet_length(agents.tools) <= ${MOST_TOOL_BYTES} AND agents.removed_at IS NULL`,
  },
  'ALTER TABLE agents DROP COLUMN tools',
];
