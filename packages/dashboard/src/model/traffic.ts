import type { Message } from '@agent-relay/sdk';

/** Messages between two within one stretch of time. */
export interface Exchange {
  from: string;
  to: string;
  /** Which stretch, the first is 0. */
  at: number;
  count: number;
}

export interface Traffic {
  /** Who wrote or was written to, the busiest first; channels with their `#`. */
  lanes: string[];
  exchanges: Exchange[];
  /** How many messages there are in all, those of left out lanes too. */
  total: number;
  /** How many lanes were left out. */
  hidden: number;
}

/** Who talked to whom between two times, in `stretches` parts. */
export function trafficOf(
  messages: readonly Message[],
  { since, until, stretches, most }: { since: number; until: number; stretches: number; most: number },
): Traffic {
  const within = messages.filter(({ ts, fromType }) => ts >= since && ts <= until && fromType !== 'system');
  const counts = new Map<string, number>();
  const exchanges = new Map<string, Exchange>();
  for (const message of within) {
    const at = Math.min(stretches - 1, Math.floor(((message.ts - since) / (until - since)) * stretches));
    for (const to of lanesOf(message)) {
      const key = `${at}\n${message.from}\n${to}`;
      const known = exchanges.get(key);
      if (known) known.count += 1;
      else exchanges.set(key, { from: message.from, to, at, count: 1 });
      counts.set(to, (counts.get(to) ?? 0) + 1);
    }
    counts.set(message.from, (counts.get(message.from) ?? 0) + 1);
  }
  const busiest = [...counts].sort((one, other) => other[1] - one[1] || one[0].localeCompare(other[0]));
  const lanes = busiest.slice(0, most).map(([name]) => name);
  const shown = new Set(lanes);
  return {
    lanes,
    exchanges: [...exchanges.values()].filter(({ from, to }) => shown.has(from) && shown.has(to)),
    total: within.length,
    hidden: Math.max(0, busiest.length - most),
  };
}

/** What a message goes to, as a lane: a channel, everyone, or each of its recipients. */
function lanesOf({ channel, group, from, to }: Message): string[] {
  if (channel !== undefined) return [channel];
  if (group) return group.filter((name) => name !== from);
  return [to === '*' ? 'everyone' : to];
}
