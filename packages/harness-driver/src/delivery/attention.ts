/** When an agent that works wants its messages. Without it: urgent ones as soon as possible, others after the turn. */
export const ATTENTIONS = ['now', 'next-tool-call', 'end-of-turn'] as const;
export type Attention = (typeof ATTENTIONS)[number];
