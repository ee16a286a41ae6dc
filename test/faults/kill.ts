import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { maximum, median, percentile } from '../bench/statistics.ts';
import { startDaemon, type TestDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { type Fault, seededRandom, within } from './fault.ts';
import { assertDelivered, LedgerSender, RecordingReceiver } from './kit/participants.ts';

const IN_FLIGHT = 8;
const DEADLINE_MS = 10_000;
const RESTART_GOAL_MS = 500;
/** On a machine so busy that even an empty program starts slowly, so many times its start instead. */
const RESTART_GOAL_BARE_STARTS = 10;

/** `kill -9` again and again while messages are on their way. */
export const kill: Fault = {
  name: 'kill',
  what: 'kill -9 under load: nothing lost, nothing twice, order kept, back in half a second',
  async run({ short, seed, say }) {
    const cycles = short ? 50 : 1000;
    const random = seededRandom(seed);
    await using daemon = await startDaemon({ settings: UNGOVERNED });
    const routes = ['receiver-0', 'receiver-1'].map((name, index) => ({
      receiver: new RecordingReceiver(name),
      senders: [2 * index, 2 * index + 1].map((number) => new LedgerSender(`sender-${number}`, name)),
    }));
    const senders = routes.flatMap((route) => route.senders);
    const everybody = [...routes.map(({ receiver }) => receiver), ...senders];
    const connectAll = () => Promise.all(everybody.map((one) => one.connect(daemon.socketPath)));
    // Sequentially: a message can only be sent to an existing name.
    for (const one of everybody) await one.connect(daemon.socketPath);

    const restarts: number[] = [];
    const bareStarts: number[] = [];
    for (let cycle = 0; cycle < cycles; cycle++) {
      if (cycle % 10 === 0) bareStarts.push(startBareNode());
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

    await within(DEADLINE_MS, 'the last answers', Promise.all(senders.map((sender) => sender.settled())));
    for (const { receiver, senders: its } of routes) {
      await within(DEADLINE_MS, 'the last deliveries', receiver.reached(totalSent(its)));
      for (const sender of its) assertDelivered(sender, receiver);
    }
    for (const one of everybody) one.close();
    await daemon.stop();
    assertStoredOnce(daemon, senders);
    say(`${cycles} kills, ${totalSent(senders)} messages acknowledged, 0 lost, 0 twice, order kept`);
    judgeRestarts(restarts, bareStarts, short, say);
  },
};

function startBareNode(): number {
  const startedAt = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - startedAt;
}

function judgeRestarts(
  restarts: number[],
  bareStarts: number[],
  short: boolean,
  say: (line: string) => void,
) {
  const [p50, p99] = [Math.round(median(restarts)), Math.round(percentile(restarts, 0.99))];
  const [longest, bare] = [Math.round(maximum(restarts)), Math.round(median(bareStarts))];
  say(`kill → first ACK: p50 ${p50} ms, p99 ${p99} ms, longest ${longest} ms (node -e 0: ${bare} ms)`);
  // A few dozen restarts have no meaningful 99th percentile.
  if (short) return;
  const goal = Math.max(RESTART_GOAL_MS, RESTART_GOAL_BARE_STARTS * bare);
  assert(p99 < goal, `the p99 of a restart is ${p99} ms; the goal is ${goal} ms`);
}

const totalSent = (senders: LedgerSender[]): number => senders.reduce((sum, { sent }) => sum + sent, 0);

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

/** Reads the database directly. */
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
