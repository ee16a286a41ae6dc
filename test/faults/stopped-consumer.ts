import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AgentInfo } from '@agent-relay/protocol';
import { FrameClient } from '../bench/frame-client.ts';
import { measureLatency } from '../bench/latency.ts';
import { Pair } from '../bench/pairs.ts';
import { median, milliseconds } from '../bench/statistics.ts';
import { killAtExit } from '../kit/cli.ts';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { residentMegabytes } from '../kit/process-memory.ts';
import { type Fault, type FaultOptions, within } from './fault.ts';
import type { ConsumerReport } from './kit/consumer.ts';
import { LedgerSender } from './kit/participants.ts';

const MESSAGES = 1_500;
const BODY = 'for somebody who is not listening '.repeat(1_000);
/** Buffering 50 MB for the stopped consumer would add far more than the search index and garbage do. */
const MAX_GROWTH_MB = 100;
const DEADLINE_MS = 60_000;

/** A consumer that is suspended, as by a debugger or a laptop's lid. */
export const stoppedConsumer: Fault = {
  name: 'stopped-consumer',
  what: 'a consumer stopped by SIGSTOP: others do not notice, memory is bounded, it gets everything when it goes on',
  async run(options) {
    await stopAndContinue(options, { heartbeatMs: 60_000, dropped: false });
    await stopAndContinue(options, { heartbeatMs: 500, dropped: true });
  },
};

async function stopAndContinue(
  { say }: FaultOptions,
  { heartbeatMs, dropped }: { heartbeatMs: number; dropped: boolean },
): Promise<void> {
  await using daemon = await startDaemon({ settings: { ...UNGOVERNED, heartbeatMs } });
  const consumer = fork(fileURLToPath(new URL('./kit/consumer.ts', import.meta.url)), [
    daemon.socketPath,
    'sleeper',
  ]);
  killAtExit(consumer);
  try {
    await within(DEADLINE_MS, 'the consumer', once(consumer, 'message'));
    const pair = await Pair.connect(daemon.socketPath, 'others');
    const sender = new LedgerSender('sender', 'sleeper', BODY);
    await sender.connect(daemon.socketPath);
    const before = await within(DEADLINE_MS, 'others before', measureLatency(pair, 200));
    const memoryBefore = residentMegabytes(daemon.pid);

    consumer.kill('SIGSTOP');
    const sending = within(DEADLINE_MS, 'sending to the stopped one', sendMany(sender, MESSAGES));
    const during = await within(DEADLINE_MS, 'others meanwhile', measureLatency(pair, 200));
    await sending;
    const after = await within(DEADLINE_MS, 'others after', measureLatency(pair, 200));
    if (dropped)
      await within(DEADLINE_MS, 'the drop of the silent connection', goneOffline(daemon.socketPath));
    const growth = residentMegabytes(daemon.pid) - memoryBefore;
    consumer.kill('SIGCONT');

    const report = await within(DEADLINE_MS, 'everything at the consumer', caughtUp(consumer, sender.sent));
    const numbers = report.contents.map((content) => Number.parseInt(content, 10));
    assert.deepEqual(
      numbers,
      Array.from({ length: sender.sent }, (_, index) => index + 1),
    );
    assert.equal(report.connections > 1, dropped, `the consumer connected ${report.connections} times`);
    assert(growth < MAX_GROWTH_MB, `the daemon grew by ${Math.round(growth)} MB`);
    const [p50Before, p50During, p50After] = [before, during, after].map((values) =>
      milliseconds(median(values)),
    );
    say(
      `${dropped ? 'dropped and resumed' : 'kept'}: ${numbers.length} messages in order, once; ` +
        `others p50 ${p50Before} before, ${p50During} while it was flooded, ${p50After} after; memory +${Math.round(growth)} MB`,
    );
    // Others share the disk and processor with a flood, but must not wait for the stopped consumer.
    assert(median(after) < 10 * median(before) + 10, 'the others became slow');
    pair.close();
    sender.close();
  } finally {
    consumer.kill('SIGKILL');
  }
}

function sendMany(sender: LedgerSender, count: number): Promise<void> {
  return new Promise((resolve) => {
    sender.onAcknowledged = () => {
      if (sender.sent < count) sender.sendNext();
      else if (sender.isSettled) resolve();
    };
    for (let i = 0; i < 16; i++) sender.sendNext();
  });
}

/** Asks the consumer until it has as many messages as were sent; one too many shows at the comparison. */
async function caughtUp(consumer: ChildProcess, count: number): Promise<ConsumerReport> {
  for (;;) {
    consumer.send('report');
    const [report] = (await once(consumer, 'message')) as [ConsumerReport];
    if (report.contents.length >= count) return report;
  }
}

async function goneOffline(socketPath: string): Promise<void> {
  const { client } = await FrameClient.connect(socketPath, { paths: [] });
  for (;;) {
    const { payload } = await client.ask('WHO', 'who', {});
    if (!(payload as { agents: AgentInfo[] }).agents.some(({ name }) => name === 'sleeper')) break;
  }
  client.close();
}
