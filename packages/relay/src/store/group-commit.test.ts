import { expect, it } from 'vitest';
import { GroupCommit } from './group-commit.ts';

/** Commits batches when told to, and remembers them. */
function heldBack() {
  const batches: string[][] = [];
  let finish: () => void = () => undefined;
  const writes = new GroupCommit<string>((calls) => {
    batches.push(calls);
    return new Promise((resolve) => {
      finish = () => resolve(calls.map((value) => ({ value })));
    });
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    batches,
    writes,
    turn,
    async commit() {
      finish();
      await turn();
    },
  };
}

it('what comes while a batch is on its way goes together in the next', async () => {
  const { batches, writes, turn, commit } = heldBack();
  const first = writes.submit('a');
  await turn();
  const others = [writes.submit('b'), writes.submit('c')];
  await commit();
  await commit();
  expect(await Promise.all([first, ...others])).toEqual(['a', 'b', 'c']);
  expect(batches).toEqual([['a'], ['b', 'c']]);
});

it('work that can wait goes alone, when nothing else is waiting', async () => {
  const { batches, writes, turn, commit } = heldBack();
  void writes.submit('a');
  await turn();
  const patient = writes.submitWhenIdle('later');
  void writes.submit('b');
  await commit();
  void writes.submit('c');
  await commit();
  await commit();
  expect(batches).toEqual([['a'], ['b'], ['c'], ['later']]);
  await commit();
  expect(await patient).toBe('later');
  await writes.settled();
});

it('work that can wait leaves at once when nothing is on its way', async () => {
  const { batches, writes, turn, commit } = heldBack();
  const patient = writes.submitWhenIdle('later');
  await turn();
  await commit();
  expect(await patient).toBe('later');
  expect(batches).toEqual([['later']]);
});
