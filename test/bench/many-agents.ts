import { execFileSync } from 'node:child_process';
import { newAgentToken } from '@agent-relay/platform/secrets';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { residentMegabytes } from '../kit/process-memory.ts';
import { type Figure, verdict } from './figures.ts';
import { FrameClient } from './frame-client.ts';
import { median, milliseconds } from './statistics.ts';

const MANY = 10_000;
const MAX_MEGABYTES = 200;
const MAX_BROADCAST_MS = 1_000;
const MAX_STORM_MS = 10_000;
/** Concurrent connection attempts. */
const AT_A_TIME = 256;
/** Files a process has open besides its connections. */
const OTHER_FILES = 200;

interface Member {
  name: string;
  token: string;
  client: FrameClient;
  lastSeq: number;
  onDelivery: () => void;
}

/** Many agents on one daemon: their cost, how fast a broadcast reaches them, how fast all reconnect. */
export async function measureManyAgents(quick: boolean): Promise<Figure[]> {
  const count = quick ? 500 : MANY;
  const shown = count.toLocaleString('en');
  const allowed = mostOpenFiles();
  if (allowed < count + OTHER_FILES) {
    const missing = `needs ulimit -n ${count + OTHER_FILES}, it is ${allowed}`;
    return [skipped(`${shown} connected agents`, missing)];
  }
  await using daemon = await startDaemon();
  // The second start has compiled code, like an installed daemon.
  await daemon.stop();
  await daemon.start();
  const empty = residentMegabytes(daemon.pid);
  const members = await connectAll(daemon, count);
  const broadcasts: number[] = [];
  for (let round = 0; round < (quick ? 1 : 5); round++) broadcasts.push(await broadcast(members, round));
  const memory = residentMegabytes(daemon.pid);
  const stormMs = await reconnectAll(daemon, members);
  const memoryAfter = residentMegabytes(daemon.pid);
  for (const { client } of members) client.close();
  const largest = Math.max(memory, memoryAfter);
  return [
    {
      id: 'P8',
      what: `memory with ${shown} connected agents`,
      measured: `${Math.round(memory)} MB, ${Math.round(memoryAfter)} MB after the storm`,
      baseline: `without agents ${Math.round(empty)} MB`,
      value: largest,
      goal: `< ${MAX_MEGABYTES} MB`,
      result: verdict(largest < MAX_MEGABYTES),
    },
    {
      id: 'P8',
      what: `broadcast → received by ${shown}`,
      measured: `median ${milliseconds(median(broadcasts))}`,
      baseline: '',
      value: median(broadcasts),
      goal: `< ${MAX_BROADCAST_MS} ms`,
      result: verdict(median(broadcasts) < MAX_BROADCAST_MS),
    },
    {
      id: 'P8',
      what: `${shown} agents come back at once`,
      measured: milliseconds(stormMs),
      baseline: '',
      value: stormMs,
      goal: `< ${MAX_STORM_MS} ms`,
      result: verdict(stormMs < MAX_STORM_MS),
    },
  ];
}

const skipped = (what: string, why: string): Figure => ({
  id: 'P8',
  what,
  measured: '',
  baseline: '',
  value: Number.NaN,
  goal: '',
  result: `skipped: ${why}`,
});

/** Node has raised its own limit to the highest allowed one; a shell that it starts inherits that. */
function mostOpenFiles(): number {
  const limit = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
}

/** Runs `work` for all, with bounded concurrency. */
async function forEach<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}

async function connectAll(daemon: TestDaemon, count: number): Promise<Member[]> {
  const members: Member[] = [];
  await forEach(
    Array.from({ length: count }, (_, index) => `agent-${index}`),
    async (name) => {
      const member = { name, token: newAgentToken(), lastSeq: 0, onDelivery: () => undefined };
      members.push(Object.assign(member, { client: await connect(daemon, member) }));
    },
  );
  return members;
}

/** Answers heartbeats from the start: on a busy machine, the others take longer to connect than the daemon waits. */
async function connect(daemon: TestDaemon, member: Omit<Member, 'client'>): Promise<FrameClient> {
  const { name, token, lastSeq: resumeAfter } = member;
  const { client } = await FrameClient.connect(daemon.socketPath, { name, token, resumeAfter });
  client.onText = (text) => {
    const { type, payload } = JSON.parse(text) as { type: string; payload: { seq: number } };
    if (type === 'PING') client.request('PONG', 'pong', {});
    if (type !== 'DELIVER') return;
    member.lastSeq = payload.seq;
    member.onDelivery();
  };
  return client;
}

/** Milliseconds until a message to all has reached all but its sender. */
async function broadcast([sender, ...others]: Member[], round: number): Promise<number> {
  if (!sender) throw new Error('Nobody is there to send.');
  const received = Promise.withResolvers<void>();
  let missing = others.length;
  for (const member of others) {
    member.onDelivery = () => {
      if (--missing === 0) received.resolve();
    };
  }
  const startedAt = performance.now();
  sender.client.request('SEND', `all-${round}`, { to: '*', content: 'The build is green again.' });
  await received.promise;
  return performance.now() - startedAt;
}

/** Breaks every connection; milliseconds until all have reconnected and resumed their deliveries. */
async function reconnectAll(daemon: TestDaemon, members: Member[]): Promise<number> {
  for (const { client } of members) client.close();
  const startedAt = performance.now();
  await forEach(members, async (member) => {
    member.client = await connect(daemon, member);
  });
  return performance.now() - startedAt;
}
