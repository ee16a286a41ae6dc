import { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GroupedWrites } from './grouped-writes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A socket that notes what comes with one system call. */
function open() {
  const calls: string[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => done(void calls.push(chunk.toString())),
    writev: (chunks, done) => done(void calls.push(chunks.map(({ chunk }) => chunk.toString()).join(''))),
  });
  const writes = new GroupedWrites(socket);
  const send = (text: string, canWait = false) => {
    writes.begin(canWait);
    socket.write(text);
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { calls, send, turn };
}

it('sends everything of one turn of the event loop together', async () => {
  const { calls, send, turn } = open();
  send('a');
  send('b');
  await turn();
  send('c');
  await turn();
  expect(calls).toEqual(['ab', 'c']);
});

it('sends what can wait at once if the connection was idle, otherwise a moment later with the rest', async () => {
  const { calls, send, turn } = open();
  send('a', true);
  await turn();
  expect(calls).toEqual(['a']);
  send('b', true);
  await turn();
  vi.advanceTimersByTime(5);
  send('c', true);
  await turn();
  expect(calls).toEqual(['a']);
  vi.advanceTimersByTime(5);
  expect(calls).toEqual(['a', 'bc']);
  vi.advanceTimersByTime(10);
  send('d', true);
  await turn();
  expect(calls).toEqual(['a', 'bc', 'd']);
});

it('sends what waits together with what cannot wait, in order', async () => {
  const { calls, send, turn } = open();
  send('a', true);
  await turn();
  send('b', true);
  await turn();
  send('c');
  send('d', true);
  await turn();
  expect(calls).toEqual(['a', 'bcd']);
  vi.advanceTimersByTime(60_000);
  await turn();
  expect(calls).toEqual(['a', 'bcd']);
});
