import type { Viewer } from '../../core/ports/store/history.ts';
import { rows, type Script, type Value } from './script.ts';

/** A piece of SQL with the values of its `?`. */
export interface Fragment {
  sql: string;
  params: Value[];
}

/** The #general channel of an agent's workspace; its `?` is the agent. */
const GENERAL = `SELECT id FROM conversations
  WHERE workspace_id = (SELECT workspace_id FROM agents WHERE id = ?) AND key = '#general'`;

/** Whether an agent can see the message `m`: it sent it, got it, or is in its channel. */
export const visibleTo = (agentId: number): Fragment => ({
  sql: `(+m.sender_id = ?
    OR EXISTS (SELECT 1 FROM deliveries WHERE recipient_id = ? AND message_seq = m.seq)
    OR EXISTS (SELECT 1 FROM members WHERE conversation_id = m.conversation_id AND agent_id = ? AND present = 1)
    OR +m.conversation_id = (${GENERAL}))`,
  params: [agentId, agentId, agentId, agentId],
});

/** Whether a viewer can see the message `m`; the owner sees everything in the workspace. */
export const visible = (viewer: Viewer, workspaceId: number): Fragment =>
  viewer === undefined ? { sql: 'm.workspace_id = ?', params: [workspaceId] } : visibleTo(viewer);

/** The channels whose messages an agent sees, as a table with the column `id`. */
export const channelsOf = (agentId: number): Fragment => ({
  sql: `(SELECT conversation_id AS id FROM members WHERE agent_id = ? AND present = 1 UNION ${GENERAL})`,
  params: [agentId, agentId],
});

/** Whether an agent sees a whole conversation: a channel it is in, or one of its DMs or groups. */
export function* belongsTo(agentId: number, conversationId: number): Script<boolean> {
  const channels = channelsOf(agentId);
  const found = yield* rows(
    `SELECT 1 AS yes FROM participants WHERE conversation_id = ? AND agent_id = ?
     UNION ALL SELECT 1 AS yes FROM ${channels.sql} AS channel WHERE channel.id = ?`,
    [conversationId, agentId, ...channels.params, conversationId],
  );
  return found.length > 0;
}
