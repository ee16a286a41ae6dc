import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { connectPairs } from './pairs.ts';
import type { RawEcho } from './raw-echo.ts';
import { BATCH, IN_FLIGHT, type Round, SENDERS } from './round.ts';
import { slowSyncEnvironment } from './slow-sync.ts';
import { maximum, median, milliseconds, percentile, perSecond } from './statistics.ts';
import { measureWaits } from './waits.ts';

/** One line of the table: a figure of the daemon next to its baseline of the same run. */
export interface Figure {
  id: string;
  what: string;
  measured: string;
  baseline: string;
  /** What the goal is about: measured ÷ baseline, or the measured value itself. */
  value: number;
  goal: string;
  result: 'pass' | 'FAIL' | `skipped: ${string}`;
}

const SLOW_SYNC_MS = 20;
const MAX_WAIT_MS = 50;
/** Pairs that keep the slow disk busy. */
const WRITERS = 8;

export const verdict = (passed: boolean) => (passed ? 'pass' : 'FAIL');

/** The figures that are medians over the rounds; a ratio is taken inside each round. */
export function figuresOf(rounds: Round[]): Figure[] {
  const middle = (pick: (round: Round) => number) => median(rounds.map(pick));
  const latencyRatio = middle(({ latency, hops, commit }) => latency / (hops + commit));
  const rateRatio = middle(({ rate, rawRate }) => rate / rawRate);
  const loadRatio = middle(({ loadedLatencyP99, latency }) => loadedLatencyP99 / latency);
  const ms = (field: keyof Round) => milliseconds(middle((round) => round[field]));
  return [
    {
      id: 'P1',
      what: 'durable send → received, one in flight',
      measured: `p50 ${ms('latency')}, p99 ${ms('latencyP99')}`,
      baseline: `two raw hops ${ms('hops')} + raw commit ${ms('commit')}`,
      value: latencyRatio,
      goal: 'p50 ≤ 2 × baseline',
      result: verdict(latencyRatio <= 2),
    },
    {
      id: 'P2',
      what: `durable throughput, ${SENDERS} senders × ${IN_FLIGHT} in flight`,
      measured: perSecond(middle(({ rate }) => rate)),
      baseline: `raw SQLite, batches of ${BATCH}: ${perSecond(middle(({ rawRate }) => rawRate))}`,
      value: rateRatio,
      goal: '≥ 0.5 × baseline',
      result: verdict(rateRatio >= 0.5),
    },
    {
      id: 'P3',
      what: 'latency at half that rate',
      measured: `p50 ${ms('loadedLatency')}, p99 ${ms('loadedLatencyP99')}`,
      // How idle the machine was: if raw commits are often late, everything is.
      baseline: `P1 of the round: p50 ${ms('latency')} (raw commit p99 ${ms('commitP99')})`,
      value: loadRatio,
      goal: 'p99 ≤ 10 × baseline',
      result: verdict(loadRatio <= 10),
    },
  ];
}

/** Whether readers notice a disk that is slow for writers. */
export async function slowDiskFigure(echo: RawEcho, directory: string, scale: number): Promise<Figure> {
  const figure = {
    id: 'P3',
    what: `reads and heartbeats, each fsync ${SLOW_SYNC_MS} ms slower`,
    goal: `≤ ${MAX_WAIT_MS} ms + baseline`,
  };
  const env = slowSyncEnvironment(directory, SLOW_SYNC_MS);
  if (!env) {
    const result = 'skipped: needs a C compiler (package gcc) on Linux' as const;
    return { ...figure, measured: '', baseline: '', value: Number.NaN, result };
  }
  await using daemon = await startDaemon({ env, settings: UNGOVERNED });
  const pairs = await connectPairs(daemon.socketPath, WRITERS);
  // The control: how long a process waits that does not use the disk, on a possibly busy machine.
  const control = echo.watch();
  const waits = await measureWaits(daemon.socketPath, pairs, 5000 * scale);
  const hops = await control.stop();
  for (const pair of pairs) pair.close();
  const reads = [...waits.inbox, ...waits.who, ...waits.heartbeat];
  const longest = (values: number[]) => milliseconds(maximum(values));
  const value = maximum(reads);
  return {
    ...figure,
    measured: `longest INBOX ${longest(waits.inbox)}, WHO ${longest(waits.who)}, PING ${longest(waits.heartbeat)}; p99 ${milliseconds(percentile(reads, 0.99))}`,
    baseline: `longest raw hops ${longest(hops)} (messages: p50 ${milliseconds(median(waits.messages))})`,
    value,
    result: verdict(value <= MAX_WAIT_MS + maximum(hops)),
  };
}
