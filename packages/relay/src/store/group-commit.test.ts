import { expect, it } from 'vitest';
import { GroupCommit, type Outcome } from './group-commit.ts';

/** Commits batches when told to, and remembers them. The process has been running for a while. */
function heldBack() {
  const batches: string[][] = [];
  let finish: () => void = () => undefined;
  let elapsed = 60_000;
  const commit = (calls: string[]) => {
    batches.push(calls);
    return new Promise<Outcome[]>((resolve) => {
      finish = () => resolve(calls.map((value) => ({ value })));
    });
  };
  const writes = new GroupCommit(commit, () => elapsed);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    batches,
    writes,
    turn,
    elapse(ms: number) {
      elapsed += ms;
    },
    async commit() {
      finish();
      await turn();
    },
  };
}

it('runs overdue background work first', async () => {
  const { batches, writes, turn, elapse, commit } = heldBack();
  void writes.submit('a');
  await turn();
  void writes.submitInBackground('background');
  void writes.submit('b');
  elapse(1001);
  await commit();
  await commit();
  expect(batches).toEqual([['a'], ['background'], ['b']]);
  await commit();
});

it('puts writes that arrive during a batch into the next one', async () => {
  const { batches, writes, turn, commit } = heldBack();
  const first = writes.submit('a');
  await turn();
  const others = [writes.submit('b'), writes.submit('c')];
  await commit();
  await commit();
  expect(await Promise.all([first, ...others])).toEqual(['a', 'b', 'c']);
  expect(batches).toEqual([['a'], ['b', 'c']]);
});

it('runs background work alone, after a quiet moment', async () => {
  const { batches, writes, turn, elapse, commit } = heldBack();
  void writes.submit('a');
  await turn();
  // The first may leave as soon as nothing else waits; it tells how long such work takes.
  void writes.submitInBackground('first');
  void writes.submit('b');
  await commit();
  await commit();
  expect(batches).toEqual([['a'], ['b'], ['first']]);
  elapse(50);
  await commit();
  const second = writes.submitInBackground('second');
  void writes.submit('c');
  await turn();
  await commit();
  expect(batches.slice(3)).toEqual([['c']]);
  elapse(20);
  while (batches.length < 5) await turn();
  expect(batches.slice(3)).toEqual([['c'], ['second']]);
  await commit();
  expect(await second).toBe('second');
});

it('runs background work at once if nothing is in progress', async () => {
  const { batches, writes, turn, commit } = heldBack();
  const background = writes.submitInBackground('later');
  await turn();
  await commit();
  expect(await background).toBe('later');
  expect(batches).toEqual([['later']]);
});

it('does not wait for a quiet moment when it is settled', async () => {
  const { batches, writes, turn, elapse, commit } = heldBack();
  void writes.submitInBackground('first');
  await turn();
  elapse(50);
  await commit();
  void writes.submit('a');
  const second = writes.submitInBackground('second');
  const settled = writes.settled();
  await turn();
  await commit();
  await commit();
  await settled;
  expect(await second).toBe('second');
  expect(batches).toEqual([['first'], ['a'], ['second']]);
});
