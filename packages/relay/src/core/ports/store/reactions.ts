export interface Reaction {
  seq: number;
  agentId: number;
  emoji: string;
}

export interface ReactionStore {
  /** True if it was not there before. */
  addReaction(reaction: Reaction & { at: number }): Promise<boolean>;
  /** True if it was there. */
  removeReaction(reaction: Reaction): Promise<boolean>;
  /** In the order of the first use of each emoji. */
  reactionsOf(seqs: number[]): Promise<Array<{ seq: number; emoji: string; agents: string[] }>>;
}
