/** Agents as databases had them while tools were a part of their row: Ann has a few, Big has more than anybody may. */
const tool = (name: string, description = 'null \u0000, half a pair \ud800 and “quotes”') => ({
  name,
  description,
  inputSchema: { type: 'object' },
});

export const ANNS_TOOLS = [tool('zip'), tool('add')];
const BIGS_TOOLS = Array.from({ length: 200 }, (_, number) => tool(`t${number}`, 'x'.repeat(4000)));

const agent = (name: string, tools: object[]) =>
  `INSERT INTO agents (workspace_id, name, skeleton, type, is_lead, ephemeral, capabilities, tools, mcp_enabled, token_hash,
     created_at, last_seen_at)
   VALUES (1, '${name}', '${name.toLowerCase()}', 'agent', 0, 0, '[]', '${JSON.stringify(tools)}', 0, '${name}', 1, 1)`;

/** For a database of version 3. */
export const OLD_AGENTS = [
  "INSERT INTO workspaces (name, former_names, directory, created_at) VALUES ('shop', '[]', 'shop', 1)",
  agent('Ann', ANNS_TOOLS),
  agent('Big', BIGS_TOOLS),
];
