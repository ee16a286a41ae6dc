import assert from 'node:assert/strict';
import { attachStrace, whyNoStrace } from '../bench/strace.ts';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { CannotRun, type Fault, within } from './fault.ts';
import { assertDelivered, LedgerSender, RecordingReceiver } from './kit/participants.ts';

const DEADLINE_MS = 20_000;
const BEFORE = 20;

/** After a failed sync it is unknown what is on disk: the daemon must not continue. */
export const failedSync: Fault = {
  name: 'failed-sync',
  what: 'fsync fails: nothing more is acknowledged, the daemon ends, and a new one has everything that was',
  async run({ say }) {
    const missing = whyNoStrace();
    if (missing) throw new CannotRun(missing);
    await using daemon = await startDaemon({ settings: UNGOVERNED });
    const receiver = new RecordingReceiver('receiver');
    const sender = new LedgerSender('sender', 'receiver');
    await receiver.connect(daemon.socketPath);
    await sender.connect(daemon.socketPath);
    for (let i = 0; i < BEFORE; i++) sender.sendNext();
    await within(DEADLINE_MS, 'messages before', sender.settled());

    const failing = [
      '-e',
      'trace=fsync,fdatasync',
      '-e',
      'inject=fsync,fdatasync:error=EIO',
      '-o',
      '/dev/null',
    ];
    const refusals: string[] = [];
    sender.onRefused = ({ code }) => refusals.push(code);
    {
      await using _strace = await attachStrace(daemon.pid, failing);
      for (let i = 0; i < BEFORE; i++) sender.sendNext();
      await within(DEADLINE_MS, 'the end of the daemon', ended(daemon.pid));
    }
    assert.equal(sender.acknowledged.size, BEFORE, 'a message was acknowledged although its sync failed');

    await daemon.start();
    await receiver.connect(daemon.socketPath);
    await sender.connect(daemon.socketPath);
    await within(DEADLINE_MS, 'the messages sent again', sender.settled());
    await within(DEADLINE_MS, 'the deliveries', receiver.reached(sender.sent));
    assertDelivered(sender, receiver);
    say(
      `refused with ${[...new Set(refusals)].join(', ') || 'the end of the connection'}; ${sender.sent} delivered once`,
    );
  },
};

async function ended(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
