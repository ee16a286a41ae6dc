import { newAgentToken } from '@agent-relay/platform/secrets';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, QUOTAS, type TestCore } from '../../../../../test/kit/core.ts';
import { DOORS, type DoorName, type Served, serve } from '../../../../../test/kit/served.ts';

let core: TestCore;
let served: Served;
beforeAll(async () => {
  core = await openCore({ quotas: { ...QUOTAS, connectionsPerKey: 3, agentsPerKey: 2 } });
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  await served?.[Symbol.asyncDispose]();
  served = await serve({}, core);
});
afterAll(() => served[Symbol.asyncDispose]());

const reached = (setting: string) => ({ code: 'LimitReached', details: { setting: `quotas.${setting}` } });
const token = newAgentToken();
const enter = async (hello: Record<string, unknown>, door: DoorName = 'WebSocket') => {
  const client = await served.connect(door);
  await client.hello({ paths: [], ...hello });
  return client;
};

describe('the connections of a key', () => {
  it('are limited, with and without a name, without affecting others', async () => {
    const { key: workspaceKey } = served;
    const { key: another } = await core.owner(served.workspace).request('KEY_CREATE', {});
    const token = newAgentToken();
    await enter({ workspaceKey });
    await enter({ workspaceKey, name: 'Ann', token });
    const third = await enter({ token });
    await expect(enter({ workspaceKey })).rejects.toMatchObject(reached('connectionsPerKey'));
    await expect(enter({ workspaceKey, name: 'Ann', token })).rejects.toMatchObject(
      reached('connectionsPerKey'),
    );
    await enter({ workspaceKey: another });
    for (let i = 0; i < 5; i++) await enter({}, 'unix socket');
    await third.end();
    await expect.poll(() => enter({ workspaceKey }).catch(() => undefined)).toBeDefined();
  });
});

describe.each(DOORS)('a key shown on a %s', (door) => {
  it('registers up to its quota of names', async () => {
    const { key: workspaceKey } = served;
    for (const name of ['Ann', 'Ben']) await (await enter({ workspaceKey, name }, door)).end();
    await expect(enter({ workspaceKey, name: 'Cid' }, door)).rejects.toMatchObject(reached('agentsPerKey'));
    await enter({ name: 'Cid' }, 'unix socket');
  });
});

describe('a client that is refused again and again', () => {
  it('is read more slowly on all its connections, without affecting others', async () => {
    await using strict = await serve({ refusalsPerSecond: 10 }, core);
    const token = newAgentToken();
    const hello = { token, workspaceKey: strict.key };
    const loops = [
      await strict.join('looper', hello, 'WebSocket'),
      await strict.join('looper', hello, 'WebSocket'),
    ];
    const other = await strict.join('other');
    const nowhere = { channel: 'nowhere' };
    const ids = loops.map((loop) => Array.from({ length: 50 }, () => loop.send('CHANNEL_MEMBERS', nowhere)));
    for (let i = 0; i < 20; i++) await other.settled();
    const refused = () => strict.counters.requests.get('CHANNEL_MEMBERS')?.get('ChannelNotFound') ?? 0;
    // Twenty are free.
    expect(refused()).toBeGreaterThanOrEqual(20);
    expect(refused()).toBeLessThan(30);
    await expect(other.request('CHANNEL_MEMBERS', nowhere)).rejects.toMatchObject({
      code: 'ChannelNotFound',
    });
    await expect
      .poll(() => {
        core.clock.advance(1000);
        return refused();
      })
      .toBe(101);
    for (const [index, loop] of loops.entries())
      for (const id of ids[index] ?? []) expect((await loop.next('ERROR')).payload).toMatchObject({ id });
  });

  it('gets each refusal for lack of room later', async () => {
    await using strict = await serve({ refusalsPerSecond: 10 }, core);
    const capabilities = Array(130).fill('x'.repeat(126));
    const come = async () => {
      const client = await strict.connect('WebSocket');
      client.send('HELLO', { name: 'Ann', workspaceKey: strict.key, capabilities }, 'hello');
      return client;
    };
    const refusal = { payload: reached('profileBytes') };
    // Each counts three times, for its size; twenty are free.
    for (let i = 0; i < 6; i++) expect(await (await come()).next('ERROR')).toMatchObject(refusal);
    const late = await come();
    for (let i = 0; i < 20; i++) await (await strict.join('other', { token })).end();
    expect(late.received).toEqual([]);
    core.clock.advance(4000);
    expect(await late.next('ERROR')).toMatchObject(refusal);
  });
});
