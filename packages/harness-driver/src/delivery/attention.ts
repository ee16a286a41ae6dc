/**
 * When an agent that works wants its messages. Without a wish, urgent ones as soon as its CLI takes them, others after the
 * turn.
 */
export type Attention = 'now' | 'next-tool-call' | 'end-of-turn';
