import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PendingReplies } from '../../server/replies.ts';
import { SseTransport } from './sse-transport.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const UNREAD = {
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { data: 'x'.repeat(7e6) },
} as const;

/** A stream to a client that reads the first event and nothing after. */
async function openUnreadStream() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const failures: Error[] = [];
  response.on('error', (error) => failures.push(error));
  const replies = new PendingReplies((error) => failures.push(error as Error));
  const transport = new SseTransport({ id: 'session', endpoint: '/messages', response, replies });
  await transport.start();
  await once(client, 'data');
  client.pause();
  return { client, response, transport, failures, [Symbol.dispose]: () => void server.close() };
}

it('survives a client that stops reading and disconnects', async () => {
  using stream = await openUnreadStream();
  const unread = expect(stream.transport.send(UNREAD)).rejects.toThrow(
    /^write E(CONNRESET|PIPE)|after a stream was destroyed/,
  );
  vi.advanceTimersByTime(60_000);
  const closed = new Promise<void>((resolve) => {
    stream.transport.onclose = resolve;
  });
  stream.client.resetAndDestroy();
  await closed;
  await unread;
});

it('writes nothing to a stream that was closed with unread data', async () => {
  using stream = await openUnreadStream();
  const sent = stream.transport.send(UNREAD);
  await stream.transport.close();
  vi.advanceTimersByTime(60_000);
  const closed = once(stream.response, 'close');
  stream.client.resume();
  await Promise.all([sent, closed]);
  expect(stream.response.writableFinished).toBe(true);
  expect(stream.failures).toEqual([]);
  stream.client.destroy();
});
