import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ReplyOutlet } from './outlets.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A request to which an event and then a large answer were written, by a client that reads the event alone. */
async function answerUnread() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const failures: Error[] = [];
  response.on('error', (error) => failures.push(error));
  const outlet = new ReplyOutlet(response);
  outlet.send(Buffer.from('{}'));
  await once(client, 'data');
  client.pause();
  outlet.answer(Buffer.alloc(7e6, 'x'));
  return { client, response, failures, [Symbol.dispose]: () => void server.close() };
}

it('ends a stream after an answer that is read slowly', async () => {
  using answered = await answerUnread();
  const { client, response, failures } = answered;
  vi.advanceTimersByTime(60_000);
  const closed = once(response, 'close');
  client.resume();
  await closed;
  expect(response.writableFinished).toBe(true);
  expect(failures).toEqual([]);
});

it('survives a client that disconnects before it reads its answer', async () => {
  using answered = await answerUnread();
  const { client, response } = answered;
  const closed = once(response, 'close');
  client.resetAndDestroy();
  await closed;
  expect(response.writableFinished).toBe(false);
});
