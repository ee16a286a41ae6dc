import type { Channel } from '../../core/ports/store/channels.ts';
import { orNull, rows, type Script, type Value } from './script.ts';

const CHANNEL = `id, workspace_id AS "workspaceId", name, topic, created_by AS "createdBy",
  created_at AS "createdAt", archived_at AS "archivedAt", account`;

type ChannelRow = Omit<Channel, 'topic' | 'archivedAt' | 'account'> & {
  topic: string | null;
  archivedAt: number | null;
  account: string | null;
};

const toChannel = (row: ChannelRow): Channel => ({
  ...row,
  topic: row.topic ?? undefined,
  archivedAt: row.archivedAt ?? undefined,
  account: row.account ?? undefined,
});

export const queries = {
  *listChannels(workspaceId: number): Script<Channel[]> {
    const found = yield* rows<ChannelRow>(
      `SELECT ${CHANNEL} FROM conversations
       WHERE workspace_id = ? AND kind = 'channel' AND name IS NOT NULL ORDER BY id`,
      [workspaceId],
    );
    return found.map(toChannel);
  },

  *listMemberships(workspaceId: number): Script<Array<{ channelId: number; agentId: number }>> {
    return yield* rows<{ channelId: number; agentId: number }>(
      `SELECT members.conversation_id AS "channelId", members.agent_id AS "agentId"
       FROM conversations JOIN members ON members.conversation_id = conversations.id
       WHERE conversations.workspace_id = ? AND members.present = 1
       ORDER BY members.conversation_id, members.agent_id`,
      [workspaceId],
    );
  },
};

export const commands = {
  *createChannel(channel: Omit<Channel, 'id' | 'archivedAt'>): Script<Channel | undefined> {
    const { workspaceId, name, topic, createdBy, createdAt, account } = channel;
    const [row] = yield* rows<ChannelRow>(
      `INSERT INTO conversations (workspace_id, kind, key, name, topic, created_by, created_at, account)
       VALUES (?, 'channel', ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace_id, key) DO NOTHING RETURNING ${CHANNEL}`,
      [workspaceId, `#${name.toLowerCase()}`, name, orNull(topic), createdBy, createdAt, orNull(account)],
    );
    return row && toChannel(row);
  },

  *updateChannel(id: number, changes: { topic?: string; archivedAt?: number | null }): Script<void> {
    const update = (column: string, value: Value) =>
      rows(`UPDATE conversations SET ${column} = ? WHERE id = ?`, [value, id]);
    if (changes.topic !== undefined) yield* update('topic', changes.topic);
    if (changes.archivedAt !== undefined) yield* update('archived_at', changes.archivedAt);
  },

  *addMember(channelId: number, agentId: number, at: number): Script<boolean> {
    const joined = yield* rows(
      `INSERT INTO members (conversation_id, agent_id, joined_at, present)
       SELECT CAST(? AS bigint), id, CAST(? AS bigint), 1 FROM agents WHERE id = ? AND removed_at IS NULL
       ON CONFLICT (conversation_id, agent_id) DO UPDATE SET joined_at = excluded.joined_at, present = 1
         WHERE members.present = 0
       RETURNING agent_id`,
      [channelId, at, agentId],
    );
    return joined.length > 0;
  },

  *removeMember(channelId: number, agentId: number): Script<boolean> {
    const left = yield* rows(
      `UPDATE members SET present = 0
       WHERE conversation_id = ? AND agent_id = ? AND present = 1 RETURNING agent_id`,
      [channelId, agentId],
    );
    return left.length > 0;
  },
};
