import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { maximum, median, percentile } from '../bench/statistics.ts';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { type Fault, seededRandom, within } from './fault.ts';
import { assertDelivered, LedgerSender, RecordingReceiver } from './participants.ts';

const SENDERS = 4;
const IN_FLIGHT = 8;
const DEADLINE_MS = 10_000;
const RESTART_GOAL_MS = 500;

/** `kill -9` again and again while messages are on their way. */
export const kill: Fault = {
  name: 'kill',
  what: 'kill -9 under load: nothing lost, nothing twice, order kept, back in half a second',
  async run({ short, seed, say }) {
    const cycles = short ? 50 : 1000;
    const random = seededRandom(seed);
    await using daemon = await startDaemon();
    const receivers = [new RecordingReceiver('receiver-0'), new RecordingReceiver('receiver-1')];
    const receiverOf = (index: number) => receivers[index % 2] as RecordingReceiver;
    const senders = Array.from(
      { length: SENDERS },
      (_, i) => new LedgerSender(`sender-${i}`, receiverOf(i).name),
    );
    const everybody = [...receivers, ...senders];
    const connectAll = () => Promise.all(everybody.map((one) => one.connect(daemon.socketPath)));
    // The receivers first: one can only write to a name that exists.
    for (const receiver of receivers) await receiver.connect(daemon.socketPath);
    await connectAllSenders(senders, daemon);

    const restarts: number[] = [];
    for (let cycle = 0; cycle < cycles; cycle++) {
      await within(DEADLINE_MS, 'load before the kill', exchange(senders, 1 + Math.floor(random() * 200)));
      // Somewhere in the life of the next batches.
      await new Promise((resolve) => setTimeout(resolve, random() * 4));
      const killedAt = performance.now();
      await daemon.kill9();
      const acknowledged = firstAcknowledgement(senders);
      await within(DEADLINE_MS, 'restart', Promise.all([daemon.start(), connectAll()]));
      for (const sender of senders) if (sender.isSettled) sender.sendNext();
      restarts.push((await within(DEADLINE_MS, 'first ACK after the restart', acknowledged)) - killedAt);
    }

    await within(DEADLINE_MS, 'the last answers and deliveries', settled(senders, receivers));
    senders.forEach((sender, index) => {
      assertDelivered(sender, receiverOf(index));
    });
    await daemon.stop();
    assertStoredOnce(daemon, senders);
    const total = senders.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
    say(`${cycles} kills, ${total} messages acknowledged, 0 lost, 0 twice, order kept`);
    const p99 = percentile(restarts, 0.99);
    const [p50, longest] = [median(restarts), maximum(restarts)].map(Math.round);
    say(`kill → first ACK: p50 ${p50} ms, p99 ${Math.round(p99)} ms, longest ${longest} ms`);
    assert(
      p99 < RESTART_GOAL_MS,
      `p99 of a restart is ${Math.round(p99)} ms; the goal is ${RESTART_GOAL_MS}`,
    );
  },
};

const connectAllSenders = (senders: LedgerSender[], daemon: TestDaemon) =>
  Promise.all(senders.map((sender) => sender.connect(daemon.socketPath)));

/** Keeps every sender busy; resolves when `count` more messages were acknowledged. */
function exchange(senders: LedgerSender[], count: number): Promise<void> {
  return new Promise((resolve) => {
    let missing = count;
    for (const sender of senders) {
      sender.onAcknowledged = () => {
        sender.sendNext();
        missing -= 1;
        if (missing === 0) resolve();
      };
      for (let open = sender.sent - sender.acknowledged.size; open < IN_FLIGHT; open++) sender.sendNext();
    }
  });
}

const firstAcknowledgement = (senders: LedgerSender[]): Promise<number> =>
  new Promise((resolve) => {
    for (const sender of senders) sender.onAcknowledged = () => resolve(performance.now());
  });

function settled(senders: LedgerSender[], receivers: RecordingReceiver[]): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      const sent = senders.reduce((sum, sender) => sum + sender.sent, 0);
      const received = receivers.reduce((sum, receiver) => sum + receiver.received.length, 0);
      if (senders.every(({ isSettled }) => isSettled) && received >= sent) resolve();
    };
    for (const sender of senders) sender.onAcknowledged = check;
    for (const receiver of receivers) receiver.onReceived = check;
    check();
  });
}

/** Looks into the database itself, past the daemon. */
function assertStoredOnce(daemon: TestDaemon, senders: LedgerSender[]): void {
  const database = new DatabaseSync(`${daemon.dataDirectory}/relay.db`, { readOnly: true });
  try {
    const rows = database
      .prepare(
        `SELECT agents.name, count(*) AS stored, count(DISTINCT client_id) AS different,
           (SELECT count(*) FROM deliveries JOIN messages AS m ON m.seq = message_seq WHERE m.sender_id = agents.id) AS deliveries
         FROM messages JOIN agents ON agents.id = messages.sender_id GROUP BY agents.id`,
      )
      .all();
    assert.equal(rows.length, senders.length);
    for (const { name, ...counts } of rows) {
      const sent = senders.find((sender) => sender.name === name)?.sent;
      assert.deepEqual(
        { ...counts },
        { stored: sent, different: sent, deliveries: sent },
        `stored for ${name}`,
      );
    }
    assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
  } finally {
    database.close();
  }
}
