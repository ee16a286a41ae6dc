export interface Reaction {
  seq: number;
  agentId: number;
  emoji: string;
}

/** The maximum number of reactions on a message: of one agent, and in total. */
export interface ReactionLimits {
  ofAgent: number;
  ofAll: number;
}

/** `present`: it already existed; `full`: not added, because the limit is reached. */
export type AddedReaction = 'added' | 'present' | 'agent full' | 'message full';

export interface ReactionStore {
  /** Adds a reaction within the limits of the agent and the message. */
  addReaction(reaction: Reaction & { at: number }, most: ReactionLimits): Promise<AddedReaction>;
  /** True if it existed. */
  removeReaction(reaction: Reaction): Promise<boolean>;
  /** In the order of the first use of each emoji. */
  reactionsOf(seqs: number[]): Promise<Array<{ seq: number; emoji: string; agents: string[] }>>;
}
