import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { OperationResult } from '@agent-relay/protocol';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { connectToSocket, type RawClient } from '../kit/raw-client.ts';
import { type Fault, seededRandom, within } from './fault.ts';
import { assertDelivered, LedgerSender, RecordingReceiver } from './kit/participants.ts';

const HOUR_MS = 3_600_000;
const DEADLINE_MS = 10_000;
const AWAIT_MS = 1_500;
/** Far below the rate limit, so that a refusal can only be due to the clock. */
const BURST = 20;
const SETTINGS = { rateLimit: { perSecond: 100, burst: 200 }, governor: { enabled: false } };

/** The clock of the machine is set, as by a person, a sleeping laptop or a restored virtual machine. */
export const clockJumps: Fault = {
  name: 'clock-jumps',
  what: 'the clock is set back and forward by hours: nobody is slowed down, waits end in time, order stays',
  async run({ short, seed, say }) {
    const random = seededRandom(seed);
    const jumps = [-1, 3, -12, 24, -0.5, ...Array.from({ length: short ? 3 : 45 }, () => random() * 48 - 24)];
    const directory = mkdtempSync(join(tmpdir(), 'relay-clock-'));
    using cleanup = new DisposableStack();
    cleanup.defer(() => rmSync(directory, { recursive: true }));
    const clockFile = join(directory, 'offset');
    await using daemon = await startDaemon({
      settings: SETTINGS,
      env: {
        NODE_OPTIONS: `--import=${new URL('./kit/shifted-clock.ts', import.meta.url)}`,
        RELAY_TEST_CLOCK_FILE: clockFile,
      },
    });
    const receiver = new RecordingReceiver('receiver');
    const sender = new LedgerSender('sender', 'receiver');
    await receiver.connect(daemon.socketPath);
    await sender.connect(daemon.socketPath);
    using asker = await connectToSocket(daemon.socketPath);
    await asker.hello({ name: 'asker', paths: [] });

    using sleeper = await connectToSocket(daemon.socketPath);
    await sleeper.hello({ name: 'sleeper', paths: [] });

    let lastSeq = 0;
    for (const hours of jumps) {
      const offset = Math.round(hours * HOUR_MS);
      const question = asker.send('SEND', {
        to: 'receiver',
        content: 'Are you there?',
        await: { timeoutMs: AWAIT_MS },
      });
      await asker.next((one) => one.type === 'ACK' && idIn(one.payload) === question);
      const askedAt = performance.now();
      await setClock({ daemon, clockFile }, asker, offset);
      for (let i = 0; i < BURST; i++) sender.sendNext();
      await within(DEADLINE_MS, `sends after a jump to ${hours} h`, sender.settled());
      await assertExpires(asker, sleeper, offset);
      const traced = await assertSaneTrace(asker, offset);
      assert(traced.message.seq > lastSeq, 'a later message has a lower number');
      lastSeq = traced.message.seq;

      const { code } = await asker.nextError(question);
      const waited = performance.now() - askedAt;
      assert.equal(code, 'Timeout');
      assert(waited > AWAIT_MS / 2, `the wait for an answer ended after ${waited} ms`);
    }
    // A question and a traced message with each jump.
    const others = 2 * jumps.length;
    await within(DEADLINE_MS, 'the deliveries', receiver.reached(sender.sent + others));
    assertDelivered(sender, receiver);
    const seqs = receiver.received.map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      seqs.toSorted((a, b) => a - b),
    );
    sender.close();
    receiver.close();
    assert.equal(await daemon.stop(), 0);
    say(`${jumps.length} jumps of up to a day, ${sender.sent} messages, none refused, each once, in order`);
  },
};

const idIn = (payload: unknown): unknown => (payload as { id?: string }).id;

/** Resolves when the daemon uses the new time. */
async function setClock(
  { daemon, clockFile }: { daemon: TestDaemon; clockFile: string },
  client: RawClient,
  offset: number,
): Promise<void> {
  writeFileSync(clockFile, String(offset));
  process.kill(daemon.pid, 'SIGUSR2');
  const isSet = async () => {
    const id = client.send('PING');
    const { ts } = await client.next((one) => one.type === 'PONG' && idIn(one.payload) === id);
    return Math.abs(ts - offset - Date.now()) < 60_000;
  };
  const untilSet = async () => {
    while (!(await isSet())) await delay(5);
  };
  await within(DEADLINE_MS, 'the clock of the daemon', untilSet());
}

/** An inbox shows exactly what has not expired by the daemon's clock. */
async function assertExpires(client: RawClient, sleeper: RawClient, offset: number): Promise<void> {
  const now = Date.now() + offset;
  const { messageId } = await client.request('SEND', {
    to: 'sleeper',
    content: 'valid',
    expiresAt: now + HOUR_MS,
  });
  const { messages } = await sleeper.request('INBOX', { limit: 500 });
  assert(
    messages.some(({ id }) => id === messageId),
    'a valid message is not shown',
  );
  assert(
    messages.every(({ expiresAt = 0 }) => expiresAt >= now),
    'an expired message is shown',
  );
}

/** The times of a trace are of the current clock, in the order of events. */
async function assertSaneTrace(client: RawClient, offset: number): Promise<OperationResult<'TRACE'>> {
  const { messageId } = await client.request('SEND', { to: 'receiver', content: 'trace me' });
  const trace = await client.request('TRACE', { id: messageId });
  const off = trace.message.ts - offset - Date.now();
  assert(Math.abs(off) < 60_000, `a message is ${off} ms away from the clock`);
  return trace;
}
