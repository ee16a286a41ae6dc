import assert from 'node:assert/strict';
import { newAgentToken } from '@agent-relay/platform/secrets';
import { decodeEnvelope, type ErrorPayload, encodeFrame } from '@agent-relay/protocol';
import { OPERATIONS } from '@agent-relay/protocol/schemas';
import fc from 'fast-check';
import { FrameClient } from '../bench/frame-client.ts';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { type Fault, within } from './fault.ts';
import { Witness } from './kit/witness.ts';

const DEADLINE_MS = 10_000;

const words = fc.constantFrom(
  'fuzz',
  '*',
  '#general',
  'lead',
  'fuzz:*',
  'a'.repeat(300),
  '',
  ' ',
  '\u0000',
  '🦀',
);
const value = fc.oneof(words, fc.jsonValue(), fc.integer(), fc.string({ unit: 'binary' }));
/** Payloads that look enough like requests to get past the first check. */
const payload = fc.oneof(
  fc.dictionary(
    fc.constantFrom(
      'to',
      'content',
      'name',
      'id',
      'limit',
      'after',
      'upTo',
      'messages',
      'state',
      'await',
      'tools',
    ),
    value,
  ),
  fc.record({ to: words, content: fc.string() }),
  fc.record({ name: words, limit: fc.integer(), after: fc.integer() }, { requiredKeys: [] }),
  fc.jsonValue(),
);
const type = fc.constantFrom(
  ...Object.keys(OPERATIONS),
  'HELLO',
  'PING',
  'PONG',
  'WELCOME',
  '__PROTO__',
  'x',
);
const envelope = fc.record(
  { v: fc.constantFrom(1, 1, 1, 2, '1'), type, id: fc.oneof(fc.constant('f'), value), ts: value, payload },
  { requiredKeys: ['v', 'type', 'id', 'payload'] },
);
const frame = fc
  .oneof(
    { weight: 4, arbitrary: envelope.map((it) => JSON.stringify({ ts: 0, ...it })) },
    { weight: 1, arbitrary: fc.string() },
  )
  .map(encodeFrame);
/** A connection's bytes: frames, some of them damaged, and where they are cut into packets. */
const stream = fc.record({
  hello: fc.boolean(),
  frames: fc.array(frame, { minLength: 1, maxLength: 12 }),
  damage: fc.array(fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) }), { maxLength: 3 }),
  cuts: fc.array(fc.nat(), { maxLength: 8 }),
});

/** Random requests, whole and damaged, on real connections. */
export const liveFuzz: Fault = {
  name: 'fuzz',
  what: 'random frames, damaged and cut anywhere: answers are well formed, none says Internal, others do not notice',
  async run({ short, seed, say }) {
    await using daemon = await startDaemon({ settings: UNGOVERNED });
    using witness = await Witness.watch(daemon);
    const numRuns = short ? 500 : 10_000;
    const token = newAgentToken();
    let answers = 0;
    const property = fc.asyncProperty(stream, async (input) => {
      answers += await within(
        DEADLINE_MS,
        'the end of a connection',
        converse(daemon.socketPath, token, input),
      );
    });
    await fc.assert(property, { seed, numRuns, endOnFailure: true });
    await witness.testify('the fuzzing');
    say(`${numRuns} connections, ${answers} answers (seed ${seed})`);
  },
};

interface Input {
  hello: boolean;
  frames: Uint8Array[];
  damage: Array<{ at: number; byte: number }>;
  cuts: number[];
}

/** Writes everything, closes, and checks each answer until then. */
async function converse(
  socketPath: string,
  token: string,
  { hello, frames, damage, cuts }: Input,
): Promise<number> {
  const client = hello
    ? (await FrameClient.connect(socketPath, { name: 'fuzz', token })).client
    : await FrameClient.open(socketPath);
  const ended = new Promise((resolve) => client.socket.once('close', resolve));
  let answers = 0;
  const faults: string[] = [];
  client.onText = (text) => {
    answers += 1;
    const { type: answered, payload: said } = decodeEnvelope(text);
    if (answered === 'ERROR' && (said as ErrorPayload).code === 'Internal') faults.push(text);
  };
  const bytes = Buffer.concat(frames);
  for (const { at, byte } of damage) bytes[at % bytes.length] = byte;
  const places = cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b);
  [0, ...places].forEach((from, index) => {
    client.socket.write(bytes.subarray(from, places[index] ?? bytes.length));
  });
  client.socket.end();
  await ended;
  assert.deepEqual(faults, []);
  return answers;
}
