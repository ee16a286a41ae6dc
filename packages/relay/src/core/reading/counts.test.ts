import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCore, type TestCore } from '../../../../../test/kit/core.ts';

const MINUTE_MS = 60_000;

let core: TestCore;
beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());

it('counts the messages of each of the last minutes, of all or of one agent', async () => {
  const workspace = await core.newWorkspace();
  const alice = await core.join(workspace, 'Alice');
  const bob = await core.join(workspace, 'Bob');
  const owner = core.owner(workspace);
  await alice.send('Bob', 'One.');
  core.clock.advance(2 * MINUTE_MS);
  await bob.send('Alice', 'Two.');
  await alice.send('Bob', 'Three.');
  const { since, counts } = await owner.request('MESSAGE_COUNTS', { minutes: 4 });
  expect(since).toBe((Math.floor(core.clock.now() / MINUTE_MS) - 3) * MINUTE_MS);
  expect(counts).toEqual([0, 1, 0, 2]);
  const ofAlice = await owner.request('MESSAGE_COUNTS', { minutes: 4, agent: 'alice' });
  expect(ofAlice.counts).toEqual([0, 1, 0, 1]);
  expect((await owner.request('MESSAGE_COUNTS', {})).counts).toHaveLength(60);
  await expect(owner.request('MESSAGE_COUNTS', { agent: 'Nobody' })).rejects.toMatchObject({
    code: 'AgentNotFound',
  });
});
