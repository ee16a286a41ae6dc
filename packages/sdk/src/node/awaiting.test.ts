import { RelayError, type SendResult } from '@agent-relay/protocol';
import { describe, expect, test, vi } from 'vitest';
import { messageOf, play } from '../../../../test/kit/scripted-peer.ts';

const sent: SendResult = {
  messageId: 'm',
  seq: 1,
  thread: 't',
  duplicate: false,
  recipients: 1,
  online: 1,
  offline: [],
};
type Await = { content: string; await: { timeoutMs: number } };

describe('sendAndWait', () => {
  test('resolves with the answer, which becomes read', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const onStored = vi.fn();
    const answer = relay.sendAndWait('Bob', 'ready?', { onStored, timeoutMs: 5000 });
    const request = await daemon.take<Await>('SEND');
    expect(request.payload.content).toBe('ready?');
    expect(request.payload.await.timeoutMs).toBeGreaterThan(4000);
    daemon.ack(request, sent);
    daemon.send('REPLY', { id: request.id, message: messageOf(2) });
    const reading = await daemon.take('ACK');
    expect(reading.payload).toEqual({ messages: ['msg_2'], state: 'read' });
    daemon.ack(reading, { changed: 1 });
    expect(await answer).toEqual(messageOf(2));
    expect(onStored).toHaveBeenCalledExactlyOnceWith(sent);
  });

  test('asks again after a reconnect, with the same id and the remaining time', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const onStored = vi.fn();
    const answer = relay.sendAndWait('Bob', 'ready?', { onStored, timeoutMs: 5000 });
    const request = await daemon.take<Await>('SEND');
    daemon.ack(request, sent);
    await vi.waitFor(() => expect(onStored).toHaveBeenCalled());
    daemon.destroy();
    const again = await peer.welcome();
    const repeated = await again.take<Await>('SEND');
    expect(repeated.id).toBe(request.id);
    expect(repeated.payload.await.timeoutMs).toBeLessThan(request.payload.await.timeoutMs);
    again.ack(repeated, { ...sent, duplicate: true });
    again.send('REPLY', { id: request.id, message: messageOf(2) });
    again.refuse(await again.take('ACK'), 'StoreUnavailable');
    expect((await answer).seq).toBe(2);
    expect(onStored).toHaveBeenCalledOnce();
  });

  test.each(['Timeout', 'MutualAwait'] as const)('rejects with the %s of the daemon', async (code) => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const answer = relay.sendAndWait('Bob', 'ready?');
    const request = await daemon.take('SEND');
    daemon.ack(request, sent);
    daemon.send('ERROR', new RelayError(code).toPayload(request.id));
    await expect(answer).rejects.toMatchObject({ code });
  });

  test('rejects with Timeout by itself if there is no daemon', async () => {
    await using scene = await play();
    await scene.peer.die();
    await expect(scene.relay.sendAndWait('Bob', 'ready?', { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'Timeout',
      message: 'The message to Bob was not confirmed within 20 ms.',
    });
  });

  test('names the whole time it waited, also after a reconnect', async () => {
    await using scene = await play();
    const answer = scene.relay.sendAndWait('Bob', 'ready?', { timeoutMs: 60_000 });
    const request = await scene.daemon.take('SEND');
    scene.daemon.ack(request, sent);
    scene.daemon.destroy();
    const again = await scene.peer.welcome();
    again.ack(await again.take('SEND'), { ...sent, duplicate: true });
    again.send('ERROR', new RelayError('Timeout', 'after the rest').toPayload(request.id));
    const asked = await again.take('TRACE');
    expect(asked.payload).toEqual({ id: sent.messageId });
    const transitions = [{ state: 'read', at: Date.now() - 20_000 }];
    again.ack(asked, { deliveries: [{ recipient: 'Bob', state: 'read', transitions }] });
    await expect(answer).rejects.toMatchObject({
      message: `No answer from Bob to ${sent.messageId} within 60 s. Bob read it 20 s ago.`,
      next: expect.stringContaining('is stored'),
      retryable: false,
      details: { messageId: sent.messageId },
    });
  });

  test('stops waiting when the caller does, and tells the daemon', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const caller = new AbortController();
    const answer = relay.sendAndWait('Bob', 'ready?', { signal: caller.signal });
    const request = await daemon.take('SEND');
    caller.abort();
    await expect(answer).rejects.toMatchObject({ code: 'Cancelled' });
    expect((await daemon.take('CANCEL')).payload).toEqual({ id: request.id });
    daemon.send('REPLY', { id: request.id, message: messageOf(2) });
    await expect(relay.sendAndWait('Bob', 'hi', { signal: caller.signal })).rejects.toMatchObject({
      code: 'Cancelled',
    });
  });

  test('is not sent after a reconnect if it was cancelled meanwhile', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const caller = new AbortController();
    const lost = new Promise((resolve) => relay.once('disconnected', resolve));
    daemon.destroy();
    await lost;
    const answer = relay.sendAndWait('Bob', 'ready?', { signal: caller.signal });
    const other = relay.send('Bob', 'instead');
    caller.abort();
    await expect(answer).rejects.toMatchObject({ code: 'Cancelled' });
    const again = await peer.welcome();
    const request = await again.take('SEND');
    expect(request.payload.content).toBe('instead');
    again.ack(request, sent);
    await other;
  });

  test('does not also deliver the answer as a message', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const messages = relay.messages();
    const first = messages.next();
    await daemon.received();
    daemon.deliver(1);
    expect((await first).value?.seq).toBe(1);
    const answer = relay.sendAndWait('Bob', 'ready?');
    const request = await daemon.take('SEND');
    // Once before the delivery, and once after it while nobody has taken it yet.
    daemon.send('REPLY', { id: request.id, message: messageOf(2) });
    daemon.deliver(2);
    daemon.ack(await daemon.take('ACK'), { changed: 1 });
    await answer;
    const second = relay.sendAndWait('Bob', 'and now?');
    const secondRequest = await daemon.take('SEND');
    daemon.deliver(3, 4);
    daemon.send('REPLY', { id: secondRequest.id, message: messageOf(3) });
    daemon.ack(await daemon.take('ACK'), { changed: 1 });
    await second;
    expect((await messages.next()).value?.seq).toBe(4);
  });
});
