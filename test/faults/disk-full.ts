import assert from 'node:assert/strict';
import { appendFileSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorPayload, InboxMessage } from '@agent-relay/protocol';
import { logFile } from '../../packages/relay/src/daemon/log/log-files.ts';
import { FrameClient } from '../bench/frame-client.ts';
import { startDaemon, type TestDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { type Fault, within } from './fault.ts';
import { assertDelivered, LedgerSender, RecordingReceiver } from './kit/participants.ts';
import { fill, mountSmallDisk } from './kit/small-disk.ts';

const DISK_BYTES = 12 * 1024 * 1024;
const BALLAST_BYTES = 6 * 1024 * 1024;
const BODY = 'all work and no play makes a full disk '.repeat(800);
const DEADLINE_MS = 20_000;
const PAGE_BYTES = 4096;
/** The daemon's own maintenance, which fails too, runs every second. */
const UPKEEP_MS = 2_500;

/** A disk with all files of the daemon, including its log: it fills up while messages arrive, and is freed later. */
export const diskFull: Fault = {
  name: 'disk-full',
  what: 'a full disk: sends are refused with DiskFull, reads work, the daemon stays, freeing space heals, nothing acknowledged is lost',
  async run({ say }) {
    using disk = mountSmallDisk(DISK_BYTES);
    const ballast = join(disk.path, 'ballast');
    writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES));
    await using daemon = await startDaemon({ dataDirectory: disk.path, settings: UNGOVERNED });
    fillLastPage(logFile(disk.path));
    const receiver = new RecordingReceiver('receiver');
    const sender = new LedgerSender('sender', 'receiver', BODY);
    await receiver.connect(daemon.socketPath);
    await sender.connect(daemon.socketPath);

    const refused = await within(DEADLINE_MS, 'the first refusal', sendUntilRefused(sender));
    const stored = sender.acknowledged.size;
    assert.equal(refused.code, 'DiskFull');
    assert.equal(refused.retryable, true);
    assert(stored > 10, `only ${stored} messages were stored before the disk was full`);
    fill(join(disk.path, 'rest'));
    for (const until = Date.now() + UPKEEP_MS; Date.now() < until; ) {
      const again = await within(DEADLINE_MS, 'another refusal', resendUntilAnswered(sender));
      assert.equal(again?.code, 'DiskFull');
    }

    await assertReadsWork(daemon.socketPath, receiver);
    await assertExportFails(daemon, join(disk.path, 'export.jsonl'));
    rmSync(ballast);
    rmSync(join(disk.path, 'rest'));
    const healed = await within(DEADLINE_MS, 'an answer after space was freed', resendUntilAnswered(sender));
    assert.equal(healed, undefined, 'the message is still refused');
    for (let i = 0; i < 20; i++) await within(DEADLINE_MS, 'a send', sendOne(sender));

    await daemon.kill9();
    await daemon.start();
    await receiver.connect(daemon.socketPath);
    await sender.connect(daemon.socketPath);
    await within(DEADLINE_MS, 'a send after a restart', sendOne(sender));
    await within(DEADLINE_MS, 'the deliveries', receiver.reached(sender.sent));
    assertDelivered(sender, receiver);
    say(`${stored} messages stored, then DiskFull; ${sender.sent} in all, each delivered once, in order`);
  },
};

/** After this, one more line needs room on the disk. */
function fillLastPage(file: string): void {
  const room = PAGE_BYTES - (statSync(file).size % PAGE_BYTES);
  appendFileSync(file, '\n'.padStart(room));
}

function sendUntilRefused(sender: LedgerSender): Promise<ErrorPayload> {
  return new Promise((resolve) => {
    sender.onRefused = resolve;
    sender.onAcknowledged = () => sender.sendNext();
    sender.sendNext();
  });
}

/** Sends the refused message again; resolves with the refusal, or with nothing when it was stored. */
function resendUntilAnswered(sender: LedgerSender): Promise<ErrorPayload | undefined> {
  return new Promise((resolve) => {
    sender.onRefused = resolve;
    sender.onAcknowledged = () => resolve(undefined);
    sender.resend(sender.sent);
  });
}

async function sendOne(sender: LedgerSender): Promise<void> {
  const refused = new Promise<never>((_, reject) => {
    sender.onRefused = (error) => reject(new Error(error.message));
  });
  sender.sendNext();
  await Promise.race([sender.settled(), refused]);
}

/** With the documented code, and without a partial file. */
async function assertExportFails(daemon: TestDaemon, file: string): Promise<void> {
  const { code, stderr } = await daemon.cli(['export', file]);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /Cannot write \S+: the disk is full\.\nnext: /);
  assert.equal(existsSync(file), false);
}

async function assertReadsWork(socketPath: string, { name, token }: RecordingReceiver): Promise<void> {
  const { client } = await FrameClient.connect(socketPath, { name, token, paths: [] });
  const who = await within(DEADLINE_MS, 'WHO on a full disk', client.ask('WHO', 'who', {}));
  assert.equal((who.payload as { agents: unknown[] }).agents.length, 2);
  const inbox = await within(
    DEADLINE_MS,
    'INBOX on a full disk',
    client.ask('INBOX', 'inbox', { limit: 10 }),
  );
  assert.equal((inbox.payload as { messages: InboxMessage[] }).messages.length, 10);
  client.close();
}
