import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import { encodeEnvelope, encodeFrame } from '@agent-relay/protocol';
import { maximum, milliseconds } from '../bench/statistics.ts';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { openFiles, residentMegabytes } from '../kit/process-memory.ts';
import { type Fault, within } from './fault.ts';
import { Witness } from './kit/witness.ts';

const CONNECTIONS = 10_000;
/** The first ones grow the heap of any process; memory is compared after them. */
const WARM_UP = 5_000;
const AT_A_TIME = 100;
const MAX_GROWTH_MB = 60;
/** Garbage may accumulate while there is room: with a small heap, only live memory counts. */
const HEAP_MB = 96;
const DEADLINE_MS = 120_000;

const hello = encodeFrame(encodeEnvelope('HELLO', 'storm', 0, { paths: [] }));

/** What a connection sends before it is dropped. */
const MANNERS = [
  { says: undefined, waits: false },
  { says: hello.subarray(0, 7), waits: false },
  { says: hello, waits: false },
  { says: hello, waits: true },
];

/** Clients that come and go by the thousand. */
export const connectionStorm: Fault = {
  name: 'connection-storm',
  what: `${CONNECTIONS.toLocaleString('en')} connections opened and dropped: memory bounded, every socket given back`,
  async run({ say }) {
    await using daemon = await startDaemon({
      env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
      settings: UNGOVERNED,
    });
    using witness = await Witness.watch(daemon);
    const filesBefore = openFiles(daemon.pid);
    await within(DEADLINE_MS, 'the warm-up', storm(daemon.socketPath, WARM_UP));
    const memoryBefore = residentMegabytes(daemon.pid);
    const waits: number[] = [];
    const calm = within(DEADLINE_MS, 'the storm', storm(daemon.socketPath, CONNECTIONS));
    let over = false;
    const ended = calm.finally(() => {
      over = true;
    });
    while (!over) waits.push(await witness.testify('many connections'));
    await ended;
    await within(DEADLINE_MS, 'the sockets given back', filesReturnTo(daemon.pid, filesBefore));
    const memory = residentMegabytes(daemon.pid);
    say(
      `memory ${Math.round(memoryBefore)} → ${Math.round(memory)} MB, a heap of ${HEAP_MB} MB was enough, open files as before`,
    );
    say(`others meanwhile: ${waits.length * 3} messages, the slowest took ${milliseconds(maximum(waits))}`);
    assert(memory - memoryBefore < MAX_GROWTH_MB, 'the memory of the daemon grew with the connections');
  },
};

async function storm(socketPath: string, count: number): Promise<void> {
  let started = 0;
  const oneAfterTheOther = async () => {
    while (started < count) {
      const number = started++;
      await comeAndGo(socketPath, MANNERS[number % MANNERS.length] as (typeof MANNERS)[number]);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, oneAfterTheOther));
}

function comeAndGo(socketPath: string, { says, waits }: (typeof MANNERS)[number]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(socketPath);
    socket.once('connect', () => {
      if (says) socket.write(says, () => waits || socket.destroy());
      else socket.destroy();
    });
    if (waits) socket.once('data', () => socket.destroy());
    // The queue of the listening socket may be full for a moment; everything else is a failure.
    socket.once('error', (error: NodeJS.ErrnoException) => error.code !== 'EAGAIN' && reject(error));
    socket.once('close', () => resolve());
  });
}

async function filesReturnTo(pid: number, count: number): Promise<void> {
  while (openFiles(pid) > count) await new Promise((resolve) => setTimeout(resolve, 20));
}
