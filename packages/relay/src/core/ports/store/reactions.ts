export interface Reaction {
  seq: number;
  agentId: number;
  emoji: string;
}

/** How many reactions a message may have: of one agent, and of all together. */
export interface ReactionLimits {
  ofAgent: number;
  ofAll: number;
}

/** `present`: it was there before; `full`: nothing was added, because so many are there already. */
export type AddedReaction = 'added' | 'present' | 'agent full' | 'message full';

export interface ReactionStore {
  /** Adds a reaction, unless the agent or the message has as many as they may have. */
  addReaction(reaction: Reaction & { at: number }, most: ReactionLimits): Promise<AddedReaction>;
  /** True if it was there. */
  removeReaction(reaction: Reaction): Promise<boolean>;
  /** In the order of the first use of each emoji. */
  reactionsOf(seqs: number[]): Promise<Array<{ seq: number; emoji: string; agents: string[] }>>;
}
