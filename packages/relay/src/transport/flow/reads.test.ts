import { newAgentToken } from '@agent-relay/platform/secrets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../../../../../test/kit/raw-client.ts';
import { DOORS, type Served, serve } from '../../../../../test/kit/served.ts';
import { FairReads } from '../../core/reading/fair-reads.ts';
import type { Connection } from '../connections/connection.ts';
import { HIGH_WATER_BYTES } from './limits.ts';
import { Reads } from './reads.ts';

const MESSAGES = 100;
const BODY = 'a flood of words '.repeat(3600);
const TOKEN = newAgentToken();
const FLOOD = 400;
/** Answers to the flood while somebody else waits for one: to the reads that were begun, and until the answer is heard. */
const FEW = 20;

const PAGES = [
  ['INBOX', { limit: 500 }],
  ['HISTORY', { limit: 500 }],
  ['SEARCH', { query: 'flood', limit: 100 }],
] as const;

let served: Served;
let bystander: RawClient;
beforeAll(async () => {
  served = await serve();
  await served.join('flooder', { token: TOKEN, paths: [] });
  bystander = await served.join('bystander');
  for (let i = 0; i < MESSAGES; i++) await bystander.request('SEND', { to: 'flooder', content: BODY });
  await bystander.request('SEARCH', { query: 'flood' });
});
afterAll(() => served[Symbol.asyncDispose]());

const answered = (operation: string, outcome = 'ok'): number =>
  served.counters.requests.get(operation)?.get(outcome) ?? 0;

/**
 * How many INBOX are answered when it goes no further: reads take turns, so a hundred of somebody else leave time for as
 * many of the flood. How much is answered before that is up to the buffers of the system.
 */
async function answeredInTheEnd(): Promise<number> {
  while (true) {
    const before = answered('INBOX');
    for (let i = 0; i < 100; i++) await bystander.request('CONVERSATIONS', {});
    if (answered('INBOX') === before) return before;
  }
}

async function flood(operation: string, payload: object, door = DOORS[0]): Promise<RawClient> {
  const flooder = await served.join('flooder', { token: TOKEN, paths: [] }, door);
  for (let i = 0; i < FLOOD; i++) flooder.send(operation, payload);
  return flooder;
}

describe('an agent that asks for many pages at once', () => {
  it.each(PAGES)('by %s does not keep others from reading', async (operation, payload) => {
    const before = answered(operation);
    using flooder = await flood(operation, payload);
    await flooder.next('ACK');
    await bystander
      .request('THREAD', { id: 'none' })
      .catch((error) => expect(error.code).toBe('MessageNotFound'));
    await bystander.request('CONVERSATIONS', {});
    expect(answered(operation) - before).toBeLessThan(2 * FEW);
  });

  it.each(DOORS)('and reads no answer on a %s gets no more until it reads', async (door) => {
    const before = await answeredInTheEnd();
    using flooder = await served.join('flooder', { token: TOKEN, paths: [] }, door);
    flooder.pause();
    for (let i = 0; i < FLOOD; i++) flooder.send('INBOX', { limit: 500 });
    expect((await answeredInTheEnd()) - before).toBeLessThan(FLOOD / 2);
    flooder.resume();
    for (let i = 0; i < 2 * FEW; i++) await flooder.next('ACK');
  });

  it('and disconnects is forgotten', async () => {
    const before = await answeredInTheEnd();
    const flooder = await flood('INBOX', { limit: 500 });
    await flooder.next('ACK');
    flooder[Symbol.dispose]();
    expect((await answeredInTheEnd()) - before).toBeLessThan(FLOOD / 2);
  });

  it('gets an answer to each, in order', async () => {
    const flooder = await served.join('flooder', { token: TOKEN, paths: [] });
    const asked = Array.from({ length: 50 }, () => flooder.send('INBOX', { limit: 2 }));
    for (const id of asked) expect((await flooder.next('ACK')).payload).toMatchObject({ id });
  });
});

/** A client that has not read this much yet. */
const connectionWith = (bufferedBytes: number) =>
  ({ bufferedBytes }) as Connection & { bufferedBytes: number };

it('starts a read only when the client has read the answers before it', async () => {
  const connection = connectionWith(HIGH_WATER_BYTES);
  const reads = new Reads(new FairReads(), connection);
  const started: number[] = [];
  const all = [1, 2, 3].map((number) => reads.add('Ann', () => started.push(number)));
  reads.resume();
  expect(started).toEqual([]);
  connection.bufferedBytes = HIGH_WATER_BYTES - 1;
  reads.resume();
  // The second answer is large.
  connection.bufferedBytes = HIGH_WATER_BYTES;
  await all[1];
  expect(started).toEqual([1, 2]);
  connection.bufferedBytes = 0;
  reads.resume();
  await all[2];
  expect(started).toEqual([1, 2, 3]);
});
