import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../test/kit/core.ts';
import type { Clock } from './ports/clock.ts';
import { startUpkeep } from './upkeep.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

let core: TestCore;
let alice: Participant;
let bob: Participant;
let stop: () => void;
const failures: unknown[] = [];

beforeEach(async () => {
  core = await openCore();
  const workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
  stop = () => undefined;
});
afterEach(async () => {
  stop();
  await core[Symbol.asyncDispose]();
  expect(failures).toEqual([]);
});

const start = (days: number) => {
  stop = startUpkeep(core.relay.store, core.clock, { days }, core.worktrees, (error) => failures.push(error));
  core.clock.advance(0);
};
const history = async () =>
  (await bob.request('HISTORY', { limit: 500 })).messages.map(({ content }) => content);
const whenDone = (expectation: () => Promise<void>) => vi.waitFor(expectation, { timeout: 10_000 });

describe('retention', () => {
  it('deletes older messages at the start and every hour, and nothing else', async () => {
    await alice.send('Bob', 'ancient');
    core.clock.advance(10 * DAY_MS);
    await alice.send('Bob', 'old');
    core.clock.advance(2 * DAY_MS);
    await alice.send('Bob', 'new');
    start(5);
    await whenDone(async () => expect(await history()).toEqual(['old', 'new']));
    core.clock.advance(3 * DAY_MS - HOUR_MS);
    expect(await history()).toEqual(['old', 'new']);
    await whenDone(async () => {
      core.clock.advance(HOUR_MS);
      expect(await history()).toEqual(['new']);
    });
  });

  it('deletes a message with all its records', async () => {
    const { messageId } = await alice.send('Bob', 'needle @Bob');
    await bob.request('REACT', { message: messageId, emoji: '👍' });
    core.clock.advance(2 * DAY_MS);
    start(1);
    await whenDone(async () => {
      expect(await bob.request('INBOX', { unread_only: false })).toEqual({ messages: [], unread: 0 });
    });
    expect((await bob.request('SEARCH', { query: 'needle' })).hits).toEqual([]);
    expect((await bob.request('CONVERSATIONS', {})).conversations).toEqual([]);
    await expect(alice.request('TRACE', { id: messageId })).rejects.toMatchObject({
      code: 'MessageNotFound',
    });
  });

  it('continues until nothing old is left, even for messages with many recipients', async () => {
    // The store deletes few of these at once: each went to a thousand agents.
    const { workspace } = alice.principal;
    const names = Array.from({ length: 1000 }, (_, i) => `agent-${i}`);
    await Promise.all(names.map((name) => core.relay.agents.identify(workspace, name, {})));
    for (let i = 0; i < 30; i++) await alice.send('*', `${i}`);
    core.clock.advance(2 * DAY_MS);
    start(1);
    await whenDone(async () => expect(await history()).toEqual([]));
  });

  it('of 0 days keeps everything', async () => {
    await alice.send('Bob', 'kept');
    core.clock.advance(10_000 * DAY_MS);
    start(0);
    core.clock.advance(HOUR_MS);
    await core.relay.store.indexForSearch(1);
    expect(await history()).toEqual(['kept']);
  });
});

describe('the search index', () => {
  it('is updated automatically', async () => {
    for (let i = 0; i < 5; i++) await alice.send('Bob', `${i}`);
    start(0);
    await whenDone(async () => {
      core.clock.advance(1000);
      expect(await core.relay.store.indexForSearch(1)).toBe(0);
    });
  });

  it('is not changed after the end', async () => {
    start(0);
    stop();
    await core.relay.store.indexForSearch(1);
    await alice.send('Bob', 'needle');
    core.clock.advance(HOUR_MS);
    await core.relay.store.countUnread(1, 0);
    expect(await core.relay.store.indexForSearch(10)).toBe(1);
  });
});

it('reports a lasting failure once', async () => {
  const reported: unknown[] = [];
  let tries = 0;
  const clock: Clock = {
    now: () => core.clock.now(),
    elapsed: () => core.clock.elapsed(),
    after: (ms, action) => {
      tries++;
      return core.clock.after(ms, action);
    },
  };
  await core.relay.store.close();
  stop = startUpkeep(core.relay.store, clock, { days: 0 }, core.worktrees, (error) => reported.push(error));
  await whenDone(async () => {
    core.clock.advance(1000);
    expect(tries).toBeGreaterThan(5);
  });
  expect(reported).toHaveLength(1);
});
