import type { Clock } from './ports/clock.ts';
import type { Agent } from './ports/store.ts';

export interface GovernorLimits {
  enabled: boolean;
  /** Turns in a row that say nothing new before the exchange is held. */
  emptyTurns: number;
  /** Turns of agents among themselves, new content or not, before a person has to look. */
  maxTurns: number;
  /** An exchange that rests so long is over; the next message begins a new one. */
  windowMs: number;
}

/** An exchange among agents: messages that answer each other, whoever they go through (A→B→C→A is one too). */
interface Chain {
  turns: number;
  emptyTurns: number;
  lastSender: number;
  lastAt: number;
  words: Set<string>;
  held: string | undefined;
}

/** A turn says something new when it has two words the exchange has not had, courtesies aside, or one weighty one. */
const NEW_CONTENT = 2;
/** Words of an exchange that are remembered. */
const MAX_WORDS = 4_000;

/**
 * Notices when agents answer each other without end. Each agent's message continues the exchange of the last message
 * that agent received; a turn without new content counts as empty, and too many of them in a row hold what follows.
 * A message of a person always passes and begins a new exchange.
 */
export class Governor {
  readonly #clock: Clock;
  readonly #limits: GovernorLimits;
  readonly #heard = new Map<number, Chain>();

  constructor(clock: Clock, limits: GovernorLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Why this message must be held; undefined when it may go. `first`: nobody in the exchange was told yet. */
  judge(sender: Agent, body: string): { reason: string; first: boolean } | undefined {
    if (!this.#limits.enabled || sender.type !== 'agent') return undefined;
    const chain = this.#chainOf(sender);
    if (!chain) return undefined;
    if (chain.held !== undefined) return { reason: chain.held, first: false };
    if (chain.lastSender === sender.id) return undefined;
    const emptyTurns = this.#newContent(chain, body) < NEW_CONTENT ? chain.emptyTurns + 1 : 0;
    chain.held = this.#verdict(emptyTurns, chain.turns + 1);
    return chain.held === undefined ? undefined : { reason: chain.held, first: true };
  }

  /** A message was delivered: its recipients have heard its exchange. */
  delivered(sender: Agent, recipients: number[], body: string): void {
    // What the relay itself says belongs to no exchange, or its notice of a held one would let that go on.
    if (!this.#limits.enabled || sender.type === 'system') return;
    const chain = this.#continue(sender, body);
    for (const recipient of recipients) this.#heard.set(recipient, chain);
  }

  /** A person lets an exchange of this agent go on: it starts from zero. */
  release(agentId: number): void {
    this.#heard.delete(agentId);
  }

  #chainOf(sender: Agent): Chain | undefined {
    const chain = this.#heard.get(sender.id);
    if (!chain || this.#clock.now() - chain.lastAt <= this.#limits.windowMs) return chain;
    this.#heard.delete(sender.id);
    return undefined;
  }

  #continue(sender: Agent, body: string): Chain {
    const known = sender.type === 'agent' ? this.#chainOf(sender) : undefined;
    const now = this.#clock.now();
    const chain: Chain = known ?? {
      turns: 0,
      emptyTurns: 0,
      lastSender: sender.id,
      lastAt: now,
      words: new Set(),
      held: undefined,
    };
    if (chain.lastSender !== sender.id) {
      chain.turns += 1;
      chain.emptyTurns = this.#newContent(chain, body) < NEW_CONTENT ? chain.emptyTurns + 1 : 0;
    }
    chain.lastSender = sender.id;
    chain.lastAt = now;
    for (const word of contentWords(body)) {
      if (chain.words.size >= MAX_WORDS) break;
      chain.words.add(word);
    }
    return chain;
  }

  #newContent(chain: Chain, body: string): number {
    let weight = 0;
    for (const word of contentWords(body)) if (!chain.words.has(word)) weight += isWeighty(word) ? 2 : 1;
    return weight;
  }

  #verdict(emptyTurns: number, turns: number): string | undefined {
    if (emptyTurns >= this.#limits.emptyTurns)
      return `muted by loop governor: ${emptyTurns} turns without new content`;
    if (turns >= this.#limits.maxTurns) return `muted by loop governor: ${turns} turns without a person`;
    return undefined;
  }
}

/** Identifiers, long words and numbers beyond a counter are seldom said out of politeness. */
const isWeighty = (word: string): boolean => word.length >= 9 || /\d{4}|_|\p{L}\d|\d\p{L}/u.test(word);

/** What a message says beyond courtesy: its different words, without those that carry no news. */
function contentWords(body: string): Set<string> {
  const words =
    body
      .slice(0, 8_192)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(words.filter((word) => (word.length > 2 || isWeighty(word)) && !COURTESY.has(word)));
}

const COURTESY = new Set(
  `the and for you your yours are was were will would can could should have has had this that these those with from
  what when where which who why how not but all any our ours out let lets get got now then than too very just also
  thanks thank thx welcome great good nice fine perfect awesome excellent wonderful okay okey sure yes yep yeah right
  glad happy help helped helpful pleasure anytime cheers bye goodbye please sorry ack acknowledged acknowledge roger
  noted understood received confirm confirmed confirming agreed agree sounds standing stand ready done complete
  completed collaboration collaborating understood acknowledged confirming appreciate appreciated likewise same again know need needs anything something else more further looking
  forward working work well keep touch talk soon later team collaboration collaborating together message messages`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
