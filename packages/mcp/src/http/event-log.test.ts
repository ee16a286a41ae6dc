import { expect, it } from 'vitest';
import { EventLog } from './event-log.ts';

const message = (id: number) => ({ jsonrpc: '2.0' as const, id, result: {} });

it('replays what came after an event on its stream, and nothing of other streams', async () => {
  const log = new EventLog();
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
