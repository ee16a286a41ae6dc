import type { Reaction } from '../../core/ports/store/reactions.ts';
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
  *addReaction({ seq, agentId, emoji, at }: Reaction & { at: number }): Script<boolean> {
    const added = yield* rows(
      `INSERT INTO reactions (message_seq, agent_id, emoji, at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO NOTHING RETURNING agent_id`,
      [seq, agentId, emoji, at],
    );
    return added.length > 0;
  },

  *removeReaction({ seq, agentId, emoji }: Reaction): Script<boolean> {
    const removed = yield* rows(
      'DELETE FROM reactions WHERE message_seq = ? AND agent_id = ? AND emoji = ? RETURNING agent_id',
      [seq, agentId, emoji],
    );
    return removed.length > 0;
  },
};
