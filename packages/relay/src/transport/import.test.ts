import type { TransferRecord } from '@agent-relay/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RawClient } from '../../../../test/kit/raw-client.ts';
import { type Served, serve } from '../../../../test/kit/served.ts';

let served: Served;
let owner: RawClient;
let alice: RawClient;
let bob: RawClient;
beforeEach(async () => {
  served = await serve();
  owner = await served.connect();
  await owner.hello({});
  alice = await served.join('Alice');
  bob = await served.join('Bob');
});
afterEach(() => served[Symbol.asyncDispose]());

const message = (id: string): TransferRecord => ({
  type: 'message',
  id,
  clientId: id,
  conversation: 'Alice Bob',
  sender: 'Alice',
  body: id,
  unverified: false,
  kind: 'free',
  importance: 'normal',
  awaitsReply: false,
  createdAt: 5,
  mentions: [],
  attachments: [],
});
const delivery = (id: string): TransferRecord => ({
  type: 'delivery',
  message: id,
  agent: 'Bob',
  mentioned: false,
});
const send = (content: string) => alice.request('SEND', { to: 'Bob', content });
const trace = async (id: string) => (await owner.request('TRACE', { id })).deliveries;
const contents = (messages: Array<{ content: string }>) => messages.map(({ content }) => content);

describe('an import into a project where agents are connected', () => {
  it('is pushed to them and to followers in order with new messages', async () => {
    const follower = await served.connect();
    await follower.hello({});
    await send('before');
    await follower.request('TAIL', { after: 0 });
    const importing = owner.request('IMPORT', { records: [message('imported'), delivery('imported')] });
    const sending = Promise.all(['a', 'b', 'c'].map(send));
    await Promise.all([importing, sending]);
    const pushed = await bob.deliveries(5);
    expect(contents(pushed).toSorted()).toEqual(['a', 'b', 'before', 'c', 'imported']);
    expect(pushed.map(({ seq }) => seq)).toEqual(pushed.map(({ seq }) => seq).toSorted((a, b) => a - b));
    for (const { content } of pushed) {
      expect((await follower.next('EVENT')).payload).toMatchObject({ message: { content } });
    }
    expect(await trace('imported')).toMatchObject([{ state: 'stored', reason: { code: 'not_taken' } }]);
    bob.send('ACK', { upTo: pushed.at(-1)?.seq ?? 0 });
    await bob.settled();
    expect(await trace('imported')).toMatchObject([{ state: 'accepted', path: 'push' }]);
  });

  it('stays in the inbox if later messages were already pushed, and does not count as accepted', async () => {
    const before = await send('before');
    await owner.request('IMPORT', { records: [message('imported')] });
    const after = await send('after');
    await bob.deliveries(2);
    bob.send('ACK', { upTo: after.seq });
    await bob.settled();
    await owner.request('IMPORT', { records: [delivery('imported')] });
    const later = await send('later');
    expect(contents(await bob.deliveries(1))).toEqual(['later']);
    bob.send('ACK', { upTo: later.seq });
    await bob.settled();
    expect(await trace('imported')).toMatchObject([{ state: 'stored', reason: { code: 'no_wake_path' } }]);
    expect(await trace(before.messageId)).toMatchObject([{ state: 'accepted' }]);
    expect(await trace(later.messageId)).toMatchObject([{ state: 'accepted' }]);
    const { messages } = await bob.request('INBOX', {});
    expect(contents(messages)).toEqual(['before', 'imported', 'after', 'later']);
  });
});
