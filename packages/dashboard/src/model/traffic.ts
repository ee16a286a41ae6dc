import type { Message } from '@agent-relay/sdk';

/** Messages between two participants in one time slot. */
export interface Exchange {
  from: string;
  to: string;
  /** Index of the time slot. */
  at: number;
  count: number;
}

export interface Traffic {
  /** Senders and recipients, the busiest first; channels with `#`. */
  lanes: string[];
  exchanges: Exchange[];
  /** All messages, including those of omitted lanes. */
  total: number;
  /** How many lanes were omitted. */
  hidden: number;
}

/** A time range, divided into equal slots. */
export interface Span {
  since: number;
  until: number;
  stretches: number;
}

/** Messages between two participants in one bucket. */
interface Bucket {
  messages: number;
  pairs: Map<string, Exchange>;
}

const BUCKET_MS = 15_000;
const KEPT_MS = 6 * 3_600_000;
/** Beyond this many pairs, a bucket only counts messages: hundreds of agents may all talk to each other. */
const MOST_PAIRS = 400;

/** Counts who talks to whom without keeping the messages: a day costs no more than an hour. */
export class TrafficLog {
  readonly #buckets = new Map<number, Bucket>();
  #first = Number.POSITIVE_INFINITY;
  #last = 0;
  /** The time since which every message was counted. */
  since = Number.POSITIVE_INFINITY;

  /** Adds messages in order; each is counted once. */
  add(messages: readonly Message[]): void {
    for (const message of messages) {
      const { seq, ts, fromType } = message;
      if (seq >= this.#first && seq <= this.#last) continue;
      this.since = Math.min(this.since, ts);
      if (fromType !== 'system') this.#count(message);
    }
    for (const { seq } of messages) {
      this.#first = Math.min(this.#first, seq);
      this.#last = Math.max(this.#last, seq);
    }
  }

  /** Who talked to whom in a time range. */
  traffic(span: Span, most: number): Traffic {
    const counts = new Map<string, number>();
    const exchanges = new Map<string, Exchange>();
    let total = 0;
    for (const [at, { messages, pairs }] of this.#within(span)) {
      total += messages;
      for (const { from, to, count } of pairs.values()) {
        for (const name of [from, to]) counts.set(name, (counts.get(name) ?? 0) + count);
        const key = `${at}\n${from}\n${to}`;
        const known = exchanges.get(key);
        if (known) known.count += count;
        else exchanges.set(key, { from, to, at, count });
      }
    }
    const busiest = [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
    const lanes = busiest.slice(0, most).map(([name]) => name);
    const shown = new Set(lanes);
    return {
      lanes,
      exchanges: [...exchanges.values()].filter(({ from, to }) => shown.has(from) && shown.has(to)),
      total,
      hidden: Math.max(0, busiest.length - most),
    };
  }

  *#within({ since, until, stretches }: Span): Generator<[at: number, bucket: Bucket]> {
    for (const [number, bucket] of this.#buckets) {
      const middle = (number + 0.5) * BUCKET_MS;
      if (middle < since || number * BUCKET_MS > until) continue;
      yield [Math.min(stretches - 1, Math.floor(((middle - since) / (until - since)) * stretches)), bucket];
    }
  }

  #count(message: Message): void {
    const number = Math.floor(message.ts / BUCKET_MS);
    const bucket = this.#buckets.get(number) ?? this.#open(number);
    bucket.messages += 1;
    const { from } = message;
    for (const to of lanesOf(message)) {
      const key = `${from}\n${to}`;
      const known = bucket.pairs.get(key);
      if (known) known.count += 1;
      else if (bucket.pairs.size < MOST_PAIRS) bucket.pairs.set(key, { from, to, at: 0, count: 1 });
    }
  }

  #open(number: number): Bucket {
    const bucket: Bucket = { messages: 0, pairs: new Map() };
    this.#buckets.set(number, bucket);
    for (const old of this.#buckets.keys()) if (old < number - KEPT_MS / BUCKET_MS) this.#buckets.delete(old);
    return bucket;
  }
}

/** The lanes a message goes to: a channel, everyone, or each recipient. */
function lanesOf({ channel, group, from, to }: Message): string[] {
  if (channel !== undefined) return [channel];
  if (group) return group.filter((name) => name !== from);
  return [to === '*' ? 'everyone' : to];
}
