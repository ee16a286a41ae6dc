import { expect, it } from 'vitest';
import { EventLog } from './event-log.ts';

const message = (id: number, text = '') => ({ jsonrpc: '2.0' as const, id, result: { text } });

/** The ids of the replies that a client which saw nothing yet is sent again. */
async function replayed(log: EventLog, streamId: string): Promise<unknown[]> {
  const ids: unknown[] = [];
  await log.replayEventsAfter(`0.${streamId}`, {
    send: async (_id, event) => void ids.push('id' in event && event.id),
  });
  return ids;
}

it('replays the later events of the same stream only', async () => {
  const log = new EventLog(() => undefined);
  const first = await log.storeEvent('a', message(1));
  await log.storeEvent('b', message(2));
  const third = await log.storeEvent('a', message(3));
  const sent: Array<[string, unknown]> = [];
  const streamId = await log.replayEventsAfter(first, {
    send: async (eventId, event) => void sent.push([eventId, event]),
  });
  expect(streamId).toBe('a');
  expect(sent).toEqual([[third, message(3)]]);
  expect(await log.getStreamIdForEventId('nonsense')).toBeUndefined();
});

it('forgets a stream whose reply was written, and keeps one whose client disconnected', async () => {
  const over: Array<(written: boolean) => Promise<void>> = [];
  const log = new EventLog((action) => over.push(action));
  await log.storeEvent('a', message(1));
  await log.storeEvent('b', message(2));
  await over[0]?.(true);
  await over[1]?.(false);
  expect([await replayed(log, 'a'), await replayed(log, 'b')]).toEqual([[], [2]]);
});

it('keeps one megabyte, and always the newest event', async () => {
  const log = new EventLog(() => undefined);
  for (let id = 1; id <= 10; id++) await log.storeEvent('a', message(id, 'x'.repeat(300_000)));
  expect(await replayed(log, 'a')).toEqual([8, 9, 10]);
  await log.storeEvent('a', message(11, 'x'.repeat(2_000_000)));
  expect(await replayed(log, 'a')).toEqual([11]);
  await log.storeEvent('a', message(12));
  expect(await replayed(log, 'a')).toEqual([12]);
});
