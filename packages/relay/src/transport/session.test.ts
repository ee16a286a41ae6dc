import type { Message, RelayEvent } from '@agent-relay/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../../../../test/kit/raw-client.ts';
import { DOORS, type Served, serve } from '../../../../test/kit/served.ts';

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served[Symbol.asyncDispose]());

let count = 0;
/** Two agents of their own on one kind of door. */
async function pair(door: (typeof DOORS)[number]) {
  count += 1;
  const names = { alice: `alice-${count}x`, bob: `bob-${count}x` };
  const alice = await served.join(names.alice, {}, door);
  const bob = await served.join(names.bob, {}, door);
  return { alice, bob, names };
}

const owner = async (): Promise<RawClient> => {
  const client = await served.connect();
  await client.hello({});
  return client;
};

describe.each(DOORS)('requests on a %s', (door) => {
  it('are answered with their id, each by its own result or error', async () => {
    const { alice, names } = await pair(door);
    const good = alice.send('SEND', { to: names.bob, content: 'Hi.' });
    const bad = alice.send('SEND', { to: 'Nobody', content: 'Hi.' });
    expect(await alice.nextError(bad)).toMatchObject({ id: bad, code: 'AgentNotFound', retryable: false });
    expect((await alice.next('ACK')).payload).toMatchObject({ id: good, recipients: 1, duplicate: false });
  });

  it.each([
    ['a field is wrong', 'INBOX', { limit: 0 }, 'InvalidRequest'],
    ['a field is unknown', 'INBOX', { limt: 5 }, 'InvalidRequest'],
    ['the payload is no object', 'INBOX', 'everything', 'InvalidRequest'],
    ['nobody knows the operation', 'DANCE', {}, 'UnknownOperation'],
    ['it is the name of something every object has', 'CONSTRUCTOR', {}, 'UnknownOperation'],
    ['it is for the daemon to say', 'DELIVER', {}, 'UnknownOperation'],
  ])('are refused when %s, and the connection continues', async (_why, type, payload, code) => {
    const { alice } = await pair(door);
    expect(await alice.nextError(alice.send(type, payload))).toMatchObject({ code });
    await alice.settled();
  });

  it('take their sender from the connection', async () => {
    const { alice, bob, names } = await pair(door);
    await alice.request('SEND', {
      to: names.bob,
      content: 'I am Bob.',
      ...{ from: names.bob, sender: names.bob, agent: names.bob },
    });
    expect(await bob.deliveries(1)).toMatchObject([{ from: names.alice }]);
  });

  it('may be repeated: the message is stored once', async () => {
    const { alice, bob, names } = await pair(door);
    const message = { to: names.bob, content: 'Once.' };
    const first = await alice.request('SEND', message, 'same');
    const second = await alice.request('SEND', message, 'same');
    expect(second).toEqual({ ...first, duplicate: true });
    await expect(alice.request('SEND', { ...message, content: 'Twice.' }, 'same')).rejects.toMatchObject({
      code: 'IdConflict',
    });
    await bob.settled();
    expect(bob.received.filter(({ type }) => type === 'DELIVER')).toHaveLength(1);
  });

  it('that are not envelopes get an error a few times, then the connection ends', async () => {
    const { alice } = await pair(door);
    for (let i = 0; i < 15; i++) {
      alice.sendText('nonsense');
      expect(await alice.nextError()).toMatchObject({ code: 'MalformedFrame' });
    }
    await alice.settled();
    alice.sendText('nonsense');
    expect(await alice.nextError()).toMatchObject({ code: 'MalformedFrame' });
    await alice.closed;
  });

  it('nested ten thousand levels deep are refused or ignored, and crash nothing', async () => {
    const { alice, bob } = await pair(door);
    const deep = (open: string, close: string) => `${open.repeat(10_000)}1${close.repeat(10_000)}`;
    const payloads = [
      `{"to":${deep('[', ']')},"content":"x"}`,
      `{"kind":"capability_announcement","capabilities":[],"tools":[{"name":"t","description":"","inputSchema":${deep('{"a":', '}')}}]}`,
      deep('[', ']'),
    ];
    for (const [i, payload] of payloads.entries()) {
      const type = i === 1 ? 'ANNOUNCE' : 'SEND';
      alice.sendText(`{"v":1,"type":"${type}","id":"deep${i}","ts":0,"payload":${payload}}`);
      expect(await alice.nextError(`deep${i}`)).toMatchObject({ code: 'InvalidRequest' });
    }
    await bob.settled();
  });

  it('sent without waiting are all answered, in order', async () => {
    const { alice } = await pair(door);
    const ids = Array.from({ length: 3000 }, () => alice.send('WHO', {}));
    for (const id of ids) expect((await alice.next('ACK')).payload).toMatchObject({ id });
  });
});

describe.each(DOORS)('an awaited answer on a %s', (door) => {
  it('follows the acknowledgement as REPLY', async () => {
    const { alice, bob, names } = await pair(door);
    const id = alice.send('SEND', { to: names.bob, content: 'Ready?', await: { timeoutMs: 5000 } });
    const [question] = await bob.deliveries(1);
    expect(question).toMatchObject({ awaitsReply: true, thread: question?.id });
    await bob.request('SEND', { to: names.alice, content: 'Yes.', thread: question?.thread });
    expect((await alice.next('ACK')).payload).toMatchObject({ id, messageId: question?.id });
    expect((await alice.next('REPLY')).payload).toMatchObject({ id, message: { content: 'Yes.' } });
  });

  it('ends after its timeout with an ERROR that names the request', async () => {
    const { alice, names } = await pair(door);
    const id = alice.send('SEND', { to: names.bob, content: 'Ready?', await: { timeoutMs: 2000 } });
    await alice.next('ACK');
    served.core.clock.advance(2000);
    expect(await alice.nextError(id)).toMatchObject({ code: 'Timeout', retryable: false });
  });

  it('can be cancelled: no REPLY comes, the answer is only delivered', async () => {
    const { alice, bob, names } = await pair(door);
    const id = alice.send('SEND', { to: names.bob, content: 'Ready?', await: { timeoutMs: 2000 } });
    await alice.next('ACK');
    expect(await alice.request('CANCEL', { id })).toEqual({});
    await bob.request('SEND', { to: names.alice, content: 'Yes.' });
    expect(await alice.deliveries(1)).toMatchObject([{ content: 'Yes.' }]);
    served.core.clock.advance(2000);
    await alice.settled();
    expect(alice.received).toEqual([]);
  });

  it('that is already on its way is sent after the acknowledgement', async () => {
    const { alice, names } = await pair(door);
    const id = alice.send('SEND', { to: names.alice, content: 'Me?', await: { timeoutMs: 2000 } });
    const isAnswer = ({ type }: { type: string }) => type === 'ACK' || type === 'ERROR';
    expect(await alice.next(isAnswer)).toMatchObject({ type: 'ACK', payload: { id } });
    expect(await alice.next(isAnswer)).toMatchObject({ type: 'ERROR', payload: { id, code: 'MutualAwait' } });
  });

  it('is found when it is requested again on a new connection', async () => {
    const { alice, bob, names } = await pair(door);
    const { token } = await (await owner()).request('TOKEN_ROTATE', { agent: names.alice });
    await alice.closed;
    const question = { to: names.bob, content: 'Ready?', await: { timeoutMs: 5000 } };
    const before = await served.join(names.alice, { token }, door);
    const { thread } = await before.request('SEND', question, 'q');
    await before.end();
    await bob.request('SEND', { to: names.alice, content: 'Yes.', ...(thread ? { thread } : {}) });
    const after = await served.join(names.alice, { token, paths: [] }, door);
    expect(await after.request('SEND', question, 'q')).toMatchObject({ duplicate: true });
    expect((await after.next('REPLY')).payload).toMatchObject({ id: 'q', message: { content: 'Yes.' } });
  });
});

describe.each(DOORS)('events on a %s', (door) => {
  it('tell a watcher when agents connect and disconnect', async () => {
    const { alice } = await pair(door);
    await alice.request('WATCH', {});
    const { bob, names } = await pair(door);
    const event = async (name: string) =>
      (
        await alice.next(
          ({ type, payload }) => type === 'EVENT' && (payload as { agent: string }).agent === name,
        )
      ).payload as RelayEvent;
    expect(await event(names.bob)).toEqual({ type: 'agent.online', agent: names.bob });
    await bob.end();
    expect(await event(names.bob)).toEqual({ type: 'agent.offline', agent: names.bob });
  });

  it('are encoded once for all watchers', async () => {
    const { alice, bob } = await pair(door);
    for (const client of [alice, bob]) await client.request('WATCH', {});
    const { names } = await pair(door);
    const heard = (client: RawClient) =>
      client.next(
        ({ type, payload }) => type === 'EVENT' && (payload as { agent: string }).agent === names.bob,
      );
    expect((await heard(alice)).id).toBe((await heard(bob)).id);
  });
});

describe('TAIL', () => {
  const texts = async (client: RawClient, many: number) => {
    const found: string[] = [];
    while (found.length < many) {
      const { payload } = await client.next('EVENT');
      found.push((payload as { message: Message }).message.content);
    }
    return found;
  };

  it('shows the owner every message from now on, or after a point', async () => {
    const { alice, names } = await pair('unix socket');
    const first = await alice.request('SEND', { to: names.bob, content: 'zero' });
    const live = await owner();
    expect(await live.request('TAIL', {})).toEqual({ after: first.seq });
    await alice.request('SEND', { to: names.bob, content: 'one' });
    await alice.request('SEND', { to: '*', content: 'two' });
    expect(await texts(live, 2)).toEqual(['one', 'two']);
    const later = await owner();
    await later.request('TAIL', { after: first.seq - 1 });
    expect(await texts(later, 3)).toEqual(['zero', 'one', 'two']);
    expect(await live.request('TAIL', { after: first.seq })).toEqual({ after: first.seq });
    expect(await texts(live, 2)).toEqual(['one', 'two']);
  });

  it('is refused to agents', async () => {
    const { alice } = await pair('unix socket');
    await expect(alice.request('TAIL', {})).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
