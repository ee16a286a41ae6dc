import type { AddedReaction, Reaction, ReactionLimits } from '../../core/ports/store/reactions.ts';
import { rows, type Script } from './script.ts';

export const queries = {
  *reactionsOf(seqs: number[]): Script<Array<{ seq: number; emoji: string; agents: string[] }>> {
    const found = yield* rows<{ seq: number; emoji: string; agent: string }>(
      `SELECT reactions.message_seq AS seq, reactions.emoji, agents.name AS agent
       FROM reactions JOIN agents ON agents.id = reactions.agent_id
       WHERE reactions.message_seq IN {{numbers}}
       ORDER BY reactions.message_seq, reactions.at, reactions.agent_id, reactions.emoji`,
      [JSON.stringify(seqs)],
    );
    const alike = Map.groupBy(found, ({ seq, emoji }) => `${seq} ${emoji}`);
    return [...alike.values()].map((group) => {
      const [{ seq, emoji }] = group as [(typeof found)[number]];
      return { seq, emoji, agents: group.map(({ agent }) => agent) };
    });
  },
};

export const commands = {
  *addReaction(
    { seq, agentId, emoji, at }: Reaction & { at: number },
    most: ReactionLimits,
  ): Script<AddedReaction> {
    const present = yield* rows(
      'SELECT 1 AS yes FROM reactions WHERE message_seq = ? AND agent_id = ? AND emoji = ?',
      [seq, agentId, emoji],
    );
    if (present.length > 0) return 'present';
    const [count] = yield* rows<{ all: number; own: number | null }>(
      `SELECT count(*) AS "all", CAST(sum(CASE WHEN agent_id = ? THEN 1 ELSE 0 END) AS bigint) AS own
       FROM reactions WHERE message_seq = ?`,
      [agentId, seq],
    );
    if ((count?.own ?? 0) >= most.ofAgent) return 'agent full';
    if ((count?.all ?? 0) >= most.ofAll) return 'message full';
    yield* rows('INSERT INTO reactions (message_seq, agent_id, emoji, at) VALUES (?, ?, ?, ?)', [
      seq,
      agentId,
      emoji,
      at,
    ]);
    return 'added';
  },

  *removeReaction({ seq, agentId, emoji }: Reaction): Script<boolean> {
    const removed = yield* rows(
      'DELETE FROM reactions WHERE message_seq = ? AND agent_id = ? AND emoji = ? RETURNING agent_id',
      [seq, agentId, emoji],
    );
    return removed.length > 0;
  },
};
