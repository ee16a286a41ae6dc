import { measureLatency } from './latency.ts';
import { measureLatencyAt } from './loaded-latency.ts';
import type { Pair } from './pairs.ts';
import type { RawEcho } from './raw-echo.ts';
import type { RawSqlite } from './raw-sqlite.ts';
import { median, percentile } from './statistics.ts';
import { measureThroughput } from './throughput.ts';

export const SENDERS = 32;
export const IN_FLIGHT = 16;
export const BATCH = 512;

/** What is measured, and the baselines. */
export interface Subjects {
  pairs: Pair[];
  echo: RawEcho;
  sqlite: RawSqlite;
}

/** Everything of one round, measured close together so that the parts can be compared; times in milliseconds. */
export interface Round {
  hops: number;
  commit: number;
  commitP99: number;
  latency: number;
  latencyP99: number;
  rawRate: number;
  rate: number;
  loadedLatency: number;
  loadedLatencyP99: number;
}

/** Measures each baseline right before its figure. `scale` is 1, or less for a smoke test. */
export async function measureRound({ pairs, echo, sqlite }: Subjects, scale: number): Promise<Round> {
  const count = Math.ceil(1000 * scale);
  const hops = await echo.measure(count);
  const commits = sqlite.measureCommits(count);
  const latencies = await measureLatency(pairs[0] as Pair, count);
  const rawRate = sqlite.measureRate(BATCH, 2000 * scale);
  const rate = await measureThroughput(pairs, IN_FLIGHT, 3000 * scale);
  const loaded = await measureLatencyAt(rate / 2, pairs, 3000 * scale);
  return {
    hops: median(hops),
    commit: median(commits),
    commitP99: percentile(commits, 0.99),
    latency: median(latencies),
    latencyP99: percentile(latencies, 0.99),
    rawRate,
    rate,
    loadedLatency: median(loaded),
    loadedLatencyP99: percentile(loaded, 0.99),
  };
}
