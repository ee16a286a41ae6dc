/** Invocations as databases had them when only their number was limited, for a database of version 12. */
const agent = (name: string, account: string) =>
  `INSERT INTO agents (workspace_id, name, skeleton, type, is_lead, ephemeral, capabilities, mcp_enabled, token_hash,
     created_at, last_seen_at, account)
   VALUES (1, '${name}', '${name}', 'agent', 0, 0, '[]', 0, '${name}', 1, 1, ${account})`;

const invocation = (id: string, callerId: number, end: string) =>
  `INSERT INTO invocations (workspace_id, id, action, owner, caller, caller_id, input, node, status, invoked_at, ended_at,
     result, error)
   VALUES (1, '${id}', 'vote', 'x', '{}', ${callerId}, '{"a":"ü"}', 'n', 'failed', 1, ${end})`;

export const OLD_INVOCATIONS = [
  "INSERT INTO workspaces (name, former_names, directory, created_at) VALUES ('shop', '[]', 'shop', 1)",
  ...[agent('ann', "'local'"), agent('bob', "'key 1'"), agent('old', 'NULL')],
  invocation('by ann', 1, `2, '"r"', NULL`),
  invocation('by bob', 2, `2, NULL, '{}'`),
  invocation('by old', 3, 'NULL, NULL, NULL'),
  invocation('by the owner', 0, 'NULL, NULL, NULL'),
];

export const COUNTED_INVOCATIONS = [
  { id: 'by ann', account: 'agent 1', bytes: 13 },
  { id: 'by bob', account: 'key 1', bytes: 12 },
  { id: 'by old', account: 'agent 3', bytes: 10 },
  { id: 'by the owner', account: 'local', bytes: 10 },
];
