import { newAgentToken } from '@agent-relay/platform/secrets';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, QUOTAS, type TestCore } from '../../../../test/kit/core.ts';
import { DOORS, type DoorName, type Served, serve } from '../../../../test/kit/served.ts';

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
const enter = async (hello: Record<string, unknown>, door: DoorName = 'WebSocket') => {
  const client = await served.connect(door);
  await client.hello({ deliver: false, ...hello });
  return client;
};

describe('the connections of a key', () => {
  it('are so many, with and without a name, and leave those of others alone', async () => {
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
  it('registers as many names as a key may', async () => {
    const { key: workspaceKey } = served;
    for (const name of ['Ann', 'Ben']) await (await enter({ workspaceKey, name }, door)).end();
    await expect(enter({ workspaceKey, name: 'Cid' }, door)).rejects.toMatchObject(reached('agentsPerKey'));
    await enter({ name: 'Cid' }, 'unix socket');
  });
});
