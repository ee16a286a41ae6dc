import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { type Figure, verdict } from './figures.ts';
import { measureLatency } from './latency.ts';
import { connectPairs } from './pairs.ts';
import { median, milliseconds } from './statistics.ts';

const PAGES = 10;
const MOST = 1.1;

/** P1 while ten dashboards are open, beside P1 without them, in turns. */
export async function measureObservers(quick: boolean): Promise<Figure[]> {
  await using daemon = await startDaemon({ settings: UNGOVERNED });
  const [pair] = await connectPairs(daemon.socketPath, 1);
  if (!pair) throw new Error('There is no pair.');
  const [rounds, count] = quick ? [2, 50] : [9, 600];
  const all = { alone: [] as number[], observed: [] as number[] };
  const ratios: number[] = [];
  await measureLatency(pair, count);
  for (let round = 0; round < rounds; round++) {
    const alone = await measureLatency(pair, count);
    const pages = fork(new URL('open-pages.ts', import.meta.url), [
      daemon.socketPath,
      daemon.project,
      String(PAGES),
    ]);
    await once(pages, 'message');
    const observed = await measureLatency(pair, count);
    pages.disconnect();
    await once(pages, 'exit');
    ratios.push(median(observed) / median(alone));
    all.alone.push(...alone);
    all.observed.push(...observed);
  }
  pair.close();
  const ratio = median(ratios);
  return [
    {
      id: 'P12',
      what: `P1 while ${PAGES} dashboards follow the project`,
      measured: `p50 ${milliseconds(median(all.observed))}`,
      baseline: `without them: p50 ${milliseconds(median(all.alone))}`,
      value: ratio,
      goal: `p50 ≤ ${MOST} × baseline`,
      result: verdict(ratio <= MOST),
    },
  ];
}
