import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import { contentWords, saysSomethingNew } from './novelty.ts';

export interface GovernorLimits {
  enabled: boolean;
  /** Turns in a row without new content before the exchange is held. */
  emptyTurns: number;
  /** Turns of agents among themselves, new content or not, before a person has to look. */
  maxTurns: number;
  /** An exchange without messages for this long is over; the next message starts a new one. */
  windowMs: number;
}

/** An exchange among agents: messages that answer each other, through any number of agents (A→B→C→A is one too). */
interface Chain {
  turns: number;
  emptyTurns: number;
  speakers: Set<number>;
  /** Its conversations since the last new content. */
  conversations: Set<number>;
  lastSender: number;
  lastAt: number;
  words: Set<string>;
  /** Why it is paused. */
  paused: string | undefined;
}

/** How many words of an exchange are remembered. */
const MAX_WORDS = 4_000;

/**
 * Detects agents that answer each other endlessly. Each agent's message continues the exchange of the last message
 * that agent received; a turn without new content counts as empty, and too many of them in a row pause the exchange:
 * messages in its conversations are held, and elsewhere its agents need new content. A message of a person
 * always passes and resets the exchanges of its recipients.
 */
export class Governor {
  readonly #clock: Clock;
  readonly #limits: GovernorLimits;
  readonly #heard = new Map<number, Chain>();
  readonly #paused = new Set<Chain>();

  constructor(clock: Clock, limits: GovernorLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Why this message must be held; undefined if it may pass. `first`: the agents were not notified yet. */
  judge(sender: Agent, conversationId: number, body: string): { reason: string; first: boolean } | undefined {
    if (!this.#limits.enabled || sender.type !== 'agent') return undefined;
    const reason = this.#pausedIn(conversationId);
    if (reason !== undefined) return { reason, first: false };
    const chain = this.#chainOf(sender);
    if (!chain || chain.lastSender === sender.id) return undefined;
    const isNew = saysSomethingNew(body, chain.words);
    if (chain.paused !== undefined) return isNew ? undefined : { reason: chain.paused, first: false };
    chain.paused = this.#verdict(isNew ? 0 : chain.emptyTurns + 1, chain.turns + 1);
    if (chain.paused === undefined) return undefined;
    chain.speakers.add(sender.id);
    chain.conversations.add(conversationId);
    this.#paused.add(chain);
    return { reason: chain.paused, first: true };
  }

  /** A message was delivered: its recipients are now part of its exchange. */
  delivered(sender: Agent, conversationId: number, recipients: number[], body: string): void {
    // Notices of the relay belong to no exchange, or the notice of a pause would resume it.
    if (!this.#limits.enabled || sender.type === 'system') return;
    if (sender.type === 'human') for (const recipient of recipients) this.release(recipient);
    const chain = this.#continue(sender, body);
    chain.speakers.add(sender.id);
    chain.conversations.add(conversationId);
    for (const recipient of recipients) this.#heard.set(recipient, chain);
  }

  /** A person resumes the exchanges of this agent: they start from zero. */
  release(agentId: number): void {
    for (const chain of this.#paused) if (chain.speakers.has(agentId)) this.#resume(chain);
    this.#heard.delete(agentId);
  }

  #resume(chain: Chain): void {
    this.#paused.delete(chain);
    Object.assign(chain, { turns: 0, emptyTurns: 0, paused: undefined });
  }

  #pausedIn(conversationId: number): string | undefined {
    for (const chain of this.#paused) {
      if (this.#isOver(chain)) this.#resume(chain);
      else if (chain.conversations.has(conversationId)) return chain.paused;
    }
    return undefined;
  }

  #isOver({ lastAt }: Chain): boolean {
    return this.#clock.elapsed() - lastAt > this.#limits.windowMs;
  }

  #chainOf(sender: Agent): Chain | undefined {
    const chain = this.#heard.get(sender.id);
    if (!chain || !this.#isOver(chain)) return chain;
    this.#heard.delete(sender.id);
    return undefined;
  }

  #continue(sender: Agent, body: string): Chain {
    const known = sender.type === 'agent' ? this.#chainOf(sender) : undefined;
    const now = this.#clock.elapsed();
    const chain: Chain =
      known && known.paused === undefined
        ? known
        : {
            turns: 0,
            emptyTurns: 0,
            speakers: new Set(),
            conversations: new Set(),
            lastSender: sender.id,
            lastAt: now,
            words: new Set(),
            paused: undefined,
          };
    const isNew = saysSomethingNew(body, chain.words);
    if (isNew) chain.conversations.clear();
    if (chain.lastSender !== sender.id) {
      chain.turns += 1;
      chain.emptyTurns = isNew ? 0 : chain.emptyTurns + 1;
    }
    chain.lastSender = sender.id;
    chain.lastAt = now;
    for (const word of contentWords(body)) {
      if (chain.words.size >= MAX_WORDS) break;
      chain.words.add(word);
    }
    return chain;
  }

  #verdict(emptyTurns: number, turns: number): string | undefined {
    if (emptyTurns >= this.#limits.emptyTurns)
      return `muted by loop governor: ${emptyTurns} turns without new content`;
    if (turns >= this.#limits.maxTurns) return `muted by loop governor: ${turns} turns without a person`;
    return undefined;
  }
}
