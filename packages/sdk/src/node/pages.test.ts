import { expect, test } from 'vitest';
import { play } from '../../../../test/kit/scripted-peer.ts';

test('requests lists page by page, and returns them as one', async () => {
  await using scene = await play();
  const { daemon, relay } = scene;
  const answer = async (operation: string, expected: object, result: object) => {
    const request = await daemon.take(operation);
    expect(request.payload).toEqual(expected);
    daemon.ack(request, result);
  };

  const who = relay.who({ includeOffline: true });
  await answer('WHO', { includeOffline: true }, { agents: ['a', 'b'], next: '7' });
  await answer('WHO', { includeOffline: true, cursor: '7' }, { agents: [], next: '9' });
  await answer('WHO', { includeOffline: true, cursor: '9' }, { agents: ['c'] });
  expect(await who).toEqual(['a', 'b', 'c']);

  const channels = relay.channels.list();
  await answer('CHANNEL_LIST', { includeArchived: false }, { channels: ['#a'], next: '2' });
  await answer('CHANNEL_LIST', { includeArchived: false, cursor: '2' }, { channels: ['#b'] });
  expect(await channels).toEqual(['#a', '#b']);

  const offers = relay.discover({ tool: 'zip' });
  await answer('DISCOVER', { tool: 'zip' }, { agents: ['a'], next: '3' });
  await answer('DISCOVER', { tool: 'zip', cursor: '3' }, { agents: ['b'] });
  expect(await offers).toEqual(['a', 'b']);
});
