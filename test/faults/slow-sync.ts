import assert from 'node:assert/strict';
import { FrameClient, uniqueName } from '../bench/frame-client.ts';
import { Pair } from '../bench/pairs.ts';
import { slowDisk, whyNoStrace } from '../bench/strace.ts';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { CannotRun, type Fault, within } from './fault.ts';

/** Long enough to tell an answer that waited for the disk from one that did not, even on a slow machine. */
const DELAY_MS = 2_000;
/** Rounds of questions that must be answered while one message waits for its sync; the first may come before it began. */
const MIN_ROUNDS = 3;
const DEADLINE_MS = 60_000;

const QUESTIONS = [
  ['INBOX', {}],
  ['WHO', {}],
  ['PING', {}],
] as const;

/** A disk that is slow to sync delays only writers. The bench measures how long answers take. */
export const slowSync: Fault = {
  name: 'slow-sync',
  what: `each fsync takes ${DELAY_MS} ms more: reads and heartbeats do not wait for it`,
  async run({ short, say }) {
    const missing = whyNoStrace();
    if (missing) throw new CannotRun(missing);
    await using daemon = await startDaemon({ settings: UNGOVERNED });
    const pair = await Pair.connect(daemon.socketPath, 'writers');
    const { client: reader } = await FrameClient.connect(daemon.socketPath, {
      name: uniqueName('reader'),
      paths: [],
    });
    await using _slow = await slowDisk(daemon.pid, DELAY_MS);
    const rounds: number[] = [];
    for (let message = 1; message <= (short ? 3 : 10); message++) {
      const answered = await within(DEADLINE_MS, 'a message', roundsWhileSending(pair, reader));
      assert(
        answered >= MIN_ROUNDS,
        `only ${answered} rounds were answered before message ${message} was acknowledged`,
      );
      rounds.push(answered);
    }
    say(
      `rounds of INBOX, WHO and PING answered while each message waited for its sync: ${rounds.join(', ')}`,
    );
    reader.close();
    pair.close();
  },
};

/** Sends one message, and reads repeatedly until it is acknowledged. */
async function roundsWhileSending(pair: Pair, reader: FrameClient): Promise<number> {
  let isAcknowledged = false;
  const acknowledged = new Promise<void>((resolve) => {
    pair.onAcknowledged = () => {
      isAcknowledged = true;
      resolve();
    };
  });
  const sentAt = performance.now();
  pair.send();
  let rounds = 0;
  for (;;) {
    for (const [type, payload] of QUESTIONS) await reader.ask(type, `${type}-${rounds}`, payload);
    if (isAcknowledged) break;
    rounds += 1;
  }
  await Promise.race([acknowledged, pair.broken]);
  assert(performance.now() - sentAt >= DELAY_MS, 'the delay was not injected');
  return rounds;
}
