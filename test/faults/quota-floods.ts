import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { FrameClient } from '../bench/frame-client.ts';
import { measureLatency } from '../bench/latency.ts';
import { Pair } from '../bench/pairs.ts';
import { milliseconds, percentile } from '../bench/statistics.ts';
import { killAtExit } from '../kit/cli.ts';
import { startDaemon, type TestDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { residentMegabytes } from '../kit/process-memory.ts';
import { type Fault, type FaultOptions, within } from './fault.ts';
import type { FloodName, FloodReport } from './kit/flooder.ts';

const FLOODS: FloodName[] = [
  'channels',
  'names',
  'tools',
  'files',
  'reactions',
  'awaits',
  'calls',
  'mcp-sessions',
  'mcp-streams',
];
const DEADLINE_MS = 120_000;
const MAX_SLOWDOWN = 3;
/** The machine may be busy: if another client seems slower, measure more, before and during the flood. */
const ATTEMPTS = 3;
const MAX_GROWTH_MB = 150;
/** Small, so that they are reached soon; the value of a limit does not change the cost of reaching it. */
const QUOTAS = {
  channels: 50,
  agentsPerKey: 50,
  attachments: 50,
  awaits: 20,
  openCallBytes: 4 * 1024 * 1024,
};
const MCP = {
  http: true,
  port: 0,
  maxSessionsPerKey: 50,
  maxStreamsPerKey: 40,
};

/** One client that exceeds a limit, as fast as it can. */
export const quotaFloods: Fault = {
  name: 'quota-floods',
  what: `one key asks for ${FLOODS.join(', ')} without end: it is told the limit, and a bystander stays as fast as before`,
  async run(options) {
    await using daemon = await startDaemon({
      settings: { ...UNGOVERNED, limits: {}, quotas: QUOTAS, mcp: MCP },
    });
    const bystander = await Bystander.join(daemon);
    const callee = await joinCallee(daemon);
    const memoryBefore = residentMegabytes(daemon.pid);
    for (const flood of FLOODS) await withstand(flood, daemon, bystander, options);
    const growth = residentMegabytes(daemon.pid) - memoryBefore;
    options.say(`memory +${Math.round(growth)} MB after all of them`);
    assert(growth < MAX_GROWTH_MB, `the daemon grew by ${Math.round(growth)} MB`);
    bystander.close();
    callee.close();
    assert.equal(await within(DEADLINE_MS, 'the end', daemon.stop()), 0);
  },
};

interface Latencies {
  messages: number[];
  reads: number[];
}

const p99 = (all: Latencies[], kind: keyof Latencies): number =>
  percentile(
    all.flatMap((latencies) => latencies[kind]),
    0.99,
  );

/** A client that sends, receives and reads. */
class Bystander {
  readonly #pair: Pair;
  readonly #reader: FrameClient;

  private constructor(pair: Pair, reader: FrameClient) {
    this.#pair = pair;
    this.#reader = reader;
  }

  static async join({ socketPath }: TestDaemon): Promise<Bystander> {
    const pair = await Pair.connect(socketPath, 'others');
    const { client } = await FrameClient.connect(socketPath, { name: 'Bystander', paths: [] });
    return new Bystander(pair, client);
  }

  /** How long messages take from one to the other, and reads. */
  async measure(count: number): Promise<Latencies> {
    const messages = await measureLatency(this.#pair, count);
    const reads: number[] = [];
    for (let i = 0; i < count; i++) {
      const startedAt = performance.now();
      const { type } = await this.#reader.ask('HISTORY', `read-${i}`, { limit: 10 });
      if (type === 'ACK') reads.push(performance.now() - startedAt);
    }
    return { messages, reads };
  }

  close(): void {
    this.#pair.close();
    this.#reader.close();
  }
}

/** An agent whose tool never answers. */
async function joinCallee({ socketPath }: TestDaemon): Promise<FrameClient> {
  const { client } = await FrameClient.connect(socketPath, { name: 'Callee', paths: [] });
  const tool = { name: 'slow', description: '', inputSchema: {} };
  await client.ask('SERVE', 'serve', { tools: [tool] });
  client.onText = (text) => {
    if (JSON.parse(text).type === 'PING') client.request('PONG', 'pong', {});
  };
  return client;
}

async function withstand(
  flood: FloodName,
  daemon: TestDaemon,
  bystander: Bystander,
  { short, say }: FaultOptions,
): Promise<void> {
  const count = short ? 1500 : 4000;
  const quiet: Latencies[] = [];
  const flooded: Latencies[] = [];
  for (let attempt = 1; ; attempt++) {
    quiet.push(await within(DEADLINE_MS, 'a bystander before', bystander.measure(count)));
    const flooder = await startFlood(flood, daemon);
    flooded.push(await within(DEADLINE_MS, `a bystander of ${flood}`, bystander.measure(count)));
    const { accepted, refused, others } = await reportOf(flooder);
    flooder.kill('SIGKILL');
    await once(flooder, 'exit');
    assert.deepEqual(others, [], `${flood} was refused for other reasons`);
    const slowdowns = (['messages', 'reads'] as const).map((kind) => {
      const [before, during] = [p99(quiet, kind), p99(flooded, kind)];
      return { shown: `${kind} ${milliseconds(before)} → ${milliseconds(during)}`, times: during / before };
    });
    say(
      `${flood}: ${accepted} taken, ${refused} refused; p99 of others: ${slowdowns.map(({ shown }) => shown).join(', ')}`,
    );
    const slowdown = Math.max(...slowdowns.map(({ times }) => times));
    if (slowdown <= MAX_SLOWDOWN) return;
    assert(attempt < ATTEMPTS, `${flood} made others ${slowdown.toFixed(1)} times slower`);
  }
}

/** Starts a flood in its own process; resolves when it has reached its limit. */
async function startFlood(flood: FloodName, daemon: TestDaemon): Promise<ChildProcess> {
  const cliJson = async (...args: string[]) => JSON.parse((await daemon.cli([...args, '--json'])).stdout);
  const { key } = await cliJson('workspace', 'key', 'create');
  const { mcp } = await cliJson('status');
  const program = fileURLToPath(new URL('./kit/flooder.ts', import.meta.url));
  const flooder = fork(program, [flood, daemon.socketPath, key, mcp]);
  killAtExit(flooder);
  // Unused sessions make room for new ones, so no limit is reached.
  const isUnderWay = ({ accepted, refused }: FloodReport) =>
    flood === 'mcp-sessions' ? accepted > MCP.maxSessionsPerKey : refused > 0;
  await within(
    DEADLINE_MS,
    `the limit of ${flood}`,
    (async () => {
      while (!isUnderWay(await reportOf(flooder))) await new Promise((resolve) => setTimeout(resolve, 20));
    })(),
  );
  return flooder;
}

async function reportOf(flooder: ChildProcess): Promise<FloodReport> {
  const answer = once(flooder, 'message');
  flooder.send('report');
  const [report] = (await answer) as [FloodReport];
  return report;
}
