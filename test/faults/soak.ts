import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { newAgentToken } from '@agent-relay/platform/secrets';
import type { Message } from '@agent-relay/protocol';
import { startDaemon, type TestDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { openFiles, residentMegabytes } from '../kit/process-memory.ts';
import { connectToSocket } from '../kit/raw-client.ts';
import { type Fault, seededRandom, within } from './fault.ts';
import { assertDelivered, LedgerSender, RecordingReceiver } from './kit/participants.ts';

const PAIRS = 4;
const IN_FLIGHT = 16;
const DEADLINE_MS = 30_000;
/** Garbage may accumulate while there is room: with a small heap, only live memory counts. */
const HEAP_MB = 128;
const MAX_GROWTH_MB = 60;
/** When a daemon has reached its working set. */
const WARM_UP_SHARE = 0.3;
const PAUSE_MS = 20;
/** Limited per agent. */
const CHANNELS = 500;

/** Everything at once, for a long time, so that slow growth shows. */
export const soak: Fault = {
  name: 'soak',
  what: 'senders, readers, reconnects, kills and channels that come and go: the ledger holds, nothing grows',
  async run({ short, seed, say }) {
    const random = seededRandom(seed);
    const totalMs = short ? 20_000 : 600_000;
    await using daemon = await startDaemon({
      settings: UNGOVERNED,
      env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
    });
    const pairs = Array.from({ length: PAIRS }, (_, number) => ({
      receiver: new RecordingReceiver(`receiver-${number}`),
      sender: new LedgerSender(`sender-${number}`, `receiver-${number}`),
    }));
    const connectAll = async () => {
      for (const { receiver, sender } of pairs) {
        await receiver.connect(daemon.socketPath);
        await sender.connect(daemon.socketPath);
      }
    };
    await connectAll();

    const channelUser = newAgentToken();
    const counts = { reads: 0, channels: 0, reconnects: 0, kills: 0 };
    const startedAt = performance.now();
    const share = () => (performance.now() - startedAt) / totalMs;
    // Killed early: afterwards one process has to run long enough to show leaks.
    const kills = short ? 3 : 30;
    let settled: { memory: number; files: number } | undefined;
    while (share() < 1) {
      for (const { sender } of pairs) keepBusy(sender);
      if (counts.kills < kills && share() > (WARM_UP_SHARE * counts.kills) / kills) {
        counts.kills += 1;
        await daemon.kill9();
        await within(DEADLINE_MS, 'a restart', daemon.start());
        await within(DEADLINE_MS, 'everybody back', connectAll());
      }
      counts.reads += await within(DEADLINE_MS, 'reads', readAll(daemon, pairs[0]?.receiver.token ?? ''));
      counts.channels += await within(
        DEADLINE_MS,
        'a channel',
        useChannel(daemon, channelUser, counts.channels),
      );
      const one = pairs[Math.floor(random() * PAIRS)];
      if (one && random() < 0.3) {
        counts.reconnects += 1;
        one.receiver.close();
        await within(DEADLINE_MS, 'a reconnect', one.receiver.connect(daemon.socketPath));
      }
      if (settled === undefined && share() > 2 * WARM_UP_SHARE) settled = figures(daemon);
      await delay(random() * PAUSE_MS);
    }

    for (const { receiver, sender } of pairs) {
      await within(DEADLINE_MS, 'the last answers', sender.settled());
      await within(DEADLINE_MS, 'the last deliveries', receiver.reached(sender.sent));
      assertDelivered(sender, receiver);
    }
    const before = settled ?? assert.fail('the daemon was never looked at');
    const after = figures(daemon);
    const sent = pairs.reduce((sum, { sender }) => sum + sender.sent, 0);
    say(
      `${sent} messages, ${counts.reads} reads, ${counts.channels} channels, ${counts.reconnects} reconnects, ${counts.kills} kills`,
    );
    say(
      `memory ${Math.round(before.memory)} → ${Math.round(after.memory)} MB, files ${before.files} → ${after.files}`,
    );
    assert(after.memory - before.memory < MAX_GROWTH_MB, 'the memory of the daemon grew');
    assert(after.files <= before.files + 1, 'the daemon keeps files or sockets open');
    for (const { receiver, sender } of pairs) for (const end of [receiver, sender]) end.close();
    assert.equal(await within(DEADLINE_MS, 'the end', daemon.stop()), 0);
  },
};

const figures = ({ pid }: TestDaemon) => ({ memory: residentMegabytes(pid), files: openFiles(pid) });

/** Limits what is in flight: the record of ten minutes has to fit in memory. */
function keepBusy(sender: LedgerSender): void {
  for (let open = sender.sent - sender.acknowledged.size; open < IN_FLIGHT; open++) sender.sendNext();
}

/** Reads everything that can be read a page at a time; returns how many reads that were. */
async function readAll({ socketPath }: TestDaemon, token: string): Promise<number> {
  using reader = await connectToSocket(socketPath);
  await reader.hello({ name: 'receiver-0', token, paths: [] });
  const inbox = await reader.request('INBOX', { limit: 100 });
  const history = await reader.request('HISTORY', { limit: 100 });
  assertInOrder(inbox.messages);
  assertInOrder(history.messages);
  await reader.request('SEARCH', { query: 'message', limit: 20 });
  await reader.request('CONVERSATIONS', {});
  await reader.request('WHO', {});
  const read = inbox.messages.map(({ id }) => id);
  if (read.length > 0) await reader.request('ACK', { messages: read, state: 'read' });
  return 5;
}

const assertInOrder = (messages: Message[]): void =>
  messages.forEach(({ seq }, index) => {
    assert(seq > (messages[index - 1]?.seq ?? 0), 'a page is not in order');
  });

/** A channel is made or opened again, used, changed and archived. */
async function useChannel({ socketPath }: TestDaemon, token: string, number: number): Promise<number> {
  using user = await connectToSocket(socketPath);
  await user.hello({ name: 'channel-user', token, paths: [] });
  const channel = `room-${number % CHANNELS}`;
  if (number < CHANNELS) await user.request('CHANNEL_CREATE', { name: channel });
  else await user.request('CHANNEL_ARCHIVE', { channel, archived: false });
  await user.request('SEND', { to: `#${channel}`, content: 'for the record' }, `send-${number}`);
  const { messages } = await user.request('HISTORY', { channel, limit: 100 });
  assert.equal(messages.length, Math.min(100, Math.floor(number / CHANNELS) + 1));
  await user.request('CHANNEL_TOPIC', { channel, topic: `use ${number}` });
  await user.request('CHANNEL_ARCHIVE', { channel });
  return 1;
}
