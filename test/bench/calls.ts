import { connect, type Relay } from '@agent-relay/sdk/node';
import { startDaemon, type TestDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { type Figure, verdict } from './figures.ts';
import { RawEcho } from './raw-echo.ts';
import { median, milliseconds, percentile } from './statistics.ts';

const MAX_DISCOVERY_MS = 5;
const TOOLS = 10;

/** P11: a call beside a message and its answer, in turns; and how long finding a tool takes among ten thousand. */
export async function measureCalls(quick: boolean): Promise<Figure[]> {
  await using daemon = await startDaemon({ settings: UNGOVERNED });
  const join = (name: string, more = {}) =>
    connect({ env: daemon.env, cwd: daemon.projectDirectory, name, ephemeral: true, ...more });
  await using alice = await join('Alice');
  await using bob = await join('Bob');
  using echo = await RawEcho.start(daemon.directory);
  return [await measureCall(alice, bob, echo, quick), await measureDiscovery(daemon, alice, quick)];
}

async function measureCall(alice: Relay, bob: Relay, echo: RawEcho, quick: boolean): Promise<Figure> {
  await bob.exposeTool({ name: 'echo', description: 'Echoes', input: {}, handler: ({ input }) => input });
  bob.on('message', ({ id, content }) => void bob.reply(id, content));
  const body = 'The build is green again.';
  const [rounds, count] = quick ? [2, 20] : [5, 400];
  const ratios: number[] = [];
  const all = { call: [] as number[], message: [] as number[], raw: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    // There and back: nothing is on the disk in between, as in a call and unlike in a message.
    const raw = (await echo.measure(count)).map((hops) => 2 * hops);
    const call = await timed(count, () => alice.call('Bob.echo', { body }));
    const message = await timed(count, (n) => alice.sendAndWait('Bob', `${n} ${body}`));
    // The first round warms up.
    if (round === 0) continue;
    ratios.push(median(call) / median(message));
    all.call.push(...call);
    all.message.push(...message);
    all.raw.push(...raw);
  }
  const ratio = median(ratios);
  const overRaw = (median(all.call) / median(all.raw)).toFixed(1);
  return {
    id: 'P11',
    what: 'cross-agent call, request → result, one in flight',
    measured: `p50 ${milliseconds(median(all.call))}, p99 ${milliseconds(percentile(all.call, 99))}`,
    baseline: `message and its answer, synced: p50 ${milliseconds(median(all.message))}; raw bytes there and back: p50 ${milliseconds(median(all.raw))} (the call takes ${overRaw} ×)`,
    value: ratio,
    goal: 'p50 ≤ 3 × baseline',
    result: verdict(ratio <= 3),
  };
}

async function measureDiscovery(daemon: TestDaemon, alice: Relay, quick: boolean): Promise<Figure> {
  const crowd: Relay[] = [];
  const agents = quick ? 20 : 1000;
  const { socketPath } = daemon;
  for (let i = 0; i < agents; i++) {
    const tools = Array.from({ length: TOOLS }, (_, n) => ({
      name: `tool-${i}-${n}`,
      description: 'Does something that others need now and then.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    }));
    // Half of them only announce their tools.
    const isServed = i % 2 === 0;
    const relay = await connect({
      socketPath,
      env: daemon.env,
      name: `agent-${i}x`,
      ephemeral: true,
      capabilities: [`skill-${i}`],
      ...(isServed ? {} : { tools }),
    });
    if (isServed) await relay.request('SERVE', { tools });
    crowd.push(relay);
  }
  const found = await timed(quick ? 20 : 400, async (n) => {
    const agent = (n * 7) % agents;
    const wanted = n % 3 === 0 ? { capability: `skill-${agent}` } : { tool: `tool-${agent}-${n % TOOLS}` };
    const offers = await alice.discover(wanted);
    if (offers.length !== 1) throw new Error(`${JSON.stringify(wanted)} is offered by ${offers.length}.`);
  });
  await Promise.all(crowd.map((relay) => relay.close()));
  const middle = median(found);
  return {
    id: 'P11',
    what: `discovery by tool or capability, ${agents} agents × ${TOOLS} tools`,
    measured: `p50 ${milliseconds(middle)}, p99 ${milliseconds(percentile(found, 99))}`,
    baseline: `${MAX_DISCOVERY_MS} ms`,
    value: middle,
    goal: `p50 < ${MAX_DISCOVERY_MS} ms`,
    result: verdict(middle < MAX_DISCOVERY_MS),
  };
}

/** How long each of them takes, one after the other. */
async function timed(count: number, work: (n: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now();
    await work(n);
    times.push(performance.now() - startedAt);
  }
  return times;
}
