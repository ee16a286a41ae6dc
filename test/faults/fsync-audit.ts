import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { attachStrace, whyNoStrace } from '../bench/strace.ts';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { CannotRun, type Fault, within } from './fault.ts';
import { LedgerSender, RecordingReceiver } from './kit/participants.ts';
import { parseTrace, sentBeforeSynced } from './kit/trace.ts';

const ONE_BY_ONE = 20;
const BURSTS = 5;
const BURST = 40;
const TRACED = 'fsync,fdatasync,write,pwrite64,writev,sendto,sendmsg';

/** Watches the system calls of the daemon: no client hears of a message before its commit is on disk. */
export const fsyncAudit: Fault = {
  name: 'fsync',
  what: 'every ACK and DELIVER leaves after the fsync of its commit',
  async run({ say }) {
    const missing = whyNoStrace();
    if (missing) throw new CannotRun(missing);
    await using daemon = await startDaemon({ settings: UNGOVERNED });
    const receiver = new RecordingReceiver('receiver');
    const sender = new LedgerSender('sender', 'receiver');
    await receiver.connect(daemon.socketPath);
    await sender.connect(daemon.socketPath);
    const output = join(daemon.directory, 'trace');
    {
      // Each sync starts late, so that a daemon that does not wait for it is caught by a wide margin.
      const delay = 'inject=fsync,fdatasync:delay_enter=2000';
      const args = ['-y', '-s', '1000000', '-e', `trace=${TRACED}`, '-e', delay, '-o', output];
      await using _strace = await attachStrace(daemon.pid, args);
      const sizes = [...Array<number>(ONE_BY_ONE).fill(1), ...Array<number>(BURSTS).fill(BURST)];
      for (const size of sizes) await within(30_000, 'messages under strace', burst(sender, receiver, size));
    }
    // The id is in the row, in the ACK and, being a part of the content, in the DELIVER.
    const words = Array.from({ length: sender.sent }, (_, index) => sender.idOf(index + 1));
    const calls = parseTrace(await readFile(output, 'utf8'));
    assert.deepEqual(sentBeforeSynced(calls, words), [], 'messages that were told before they were synced');
    const withoutSyncs = calls.filter(({ name }) => !name.startsWith('f'));
    assert.deepEqual(sentBeforeSynced(withoutSyncs, words), words, 'the audit does not see a missing fsync');
    const syncs = calls.length - withoutSyncs.length;
    say(`${words.length} messages, ${syncs} syncs, each message told after its own`);
  },
};

async function burst(sender: LedgerSender, receiver: RecordingReceiver, size: number): Promise<void> {
  for (let i = 0; i < size; i++) sender.sendNext();
  await Promise.all([sender.settled(), receiver.reached(sender.sent)]);
}
