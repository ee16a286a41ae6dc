import assert from 'node:assert/strict';
import { type Envelope, type ErrorPayload, encodeFrame } from '@agent-relay/protocol';
import { FrameClient, uniqueName } from '../bench/frame-client.ts';
import { startDaemon, type TestDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { type Fault, within } from './fault.ts';
import { Witness } from './kit/witness.ts';

const DEADLINE_MS = 10_000;
const UNREAD_REQUESTS = 20_000;

/** What a broken or malicious client may send. */
export const hostileBytes: Fault = {
  name: 'hostile-bytes',
  what: 'oversized, truncated, malformed, endless and deep input: the right error, and nobody else notices',
  async run({ say }) {
    await using daemon = await startDaemon({ settings: UNGOVERNED });
    using witness = await Witness.watch(daemon);
    const silent = Promise.all([sayNothing(daemon), sayHelloSlowly(daemon)]);
    for (const attack of ATTACKS) {
      await within(DEADLINE_MS, attack.name, carryOut(attack, daemon));
      await witness.testify(attack.name);
    }
    await truncated(daemon);
    await witness.testify('truncated frames');
    await within(30_000, 'requests whose answers are not read', neverRead(daemon, witness));
    await within(DEADLINE_MS, 'the end of those who say no HELLO', silent);
    await witness.testify('everything');
    say(
      `${ATTACKS.length} attacks answered, and: no HELLO, a slow HELLO, truncated frames, answers never read`,
    );
  },
};

async function carryOut({ name, after, bytes, errors, closed }: Attack, { socketPath }: TestDaemon) {
  const hello = { name: uniqueName('attacker'), ephemeral: true };
  const client =
    after === 'HELLO'
      ? (await FrameClient.connect(socketPath, hello)).client
      : await FrameClient.open(socketPath);
  const ended = new Promise((resolve) => client.socket.once('close', resolve));
  const answers: Envelope[] = [];
  for (const piece of bytes) client.socket.write(piece);
  while (answers.length < errors.length) answers.push(await client.next());
  assert.deepEqual(
    answers.map(({ type, payload }) => (type === 'ERROR' ? (payload as ErrorPayload).code : type)),
    errors,
    name,
  );
  if (closed) await ended;
  else assert.equal((await client.ask('PING', 'still-there', {})).type, 'PONG', name);
  client.close();
}

/** A silent connection is closed. */
async function sayNothing({ socketPath }: TestDaemon): Promise<void> {
  const client = await FrameClient.open(socketPath);
  const { payload } = await client.next();
  assert.equal((payload as ErrorPayload).code, 'HelloRequired');
  client.close();
}

/** So is one that sends HELLO a byte at a time. */
async function sayHelloSlowly({ socketPath }: TestDaemon): Promise<void> {
  const client = await FrameClient.open(socketPath);
  const frame = encodeFrame(`{"v":1,"type":"HELLO","id":"slow","ts":0,"payload":{}}${' '.repeat(10_000)}`);
  let written = 0;
  const drip = setInterval(() => client.socket.write(frame.subarray(written, ++written)), 50);
  try {
    const { payload } = await client.next();
    assert.equal((payload as ErrorPayload).code, 'HelloRequired');
  } finally {
    clearInterval(drip);
    client.close();
  }
}

/** Connections that end in the middle of a frame, at every position. */
async function truncated({ socketPath }: TestDaemon): Promise<void> {
  const frame = encodeFrame('{"v":1,"type":"HELLO","id":"cut","ts":0,"payload":{}}');
  for (let length = 1; length < frame.length; length++) {
    const client = await FrameClient.open(socketPath);
    const ended = new Promise((resolve) => client.socket.once('close', resolve));
    client.socket.end(frame.subarray(0, length));
    await within(DEADLINE_MS, 'the end of a truncated connection', ended);
  }
}

/** Sends requests without reading answers: the daemon stops reading instead of buffering the answers. */
async function neverRead(daemon: TestDaemon, witness: Witness): Promise<void> {
  const { client } = await FrameClient.connect(daemon.socketPath, { paths: [] });
  client.socket.pause();
  for (let i = 0; i < UNREAD_REQUESTS; i++) client.request('WHO', `unread-${i}`, { includeOffline: true });
  await witness.testify('requests whose answers are not read');
  const kept = client.socket.writableLength;
  assert(kept > 0, 'the daemon read every request although no answer was taken');
  let answers = 0;
  const all = new Promise<void>((resolve) => {
    client.onText = () => {
      answers += 1;
      if (answers === UNREAD_REQUESTS) resolve();
    };
  });
  client.socket.resume();
  await all;
  client.close();
}
