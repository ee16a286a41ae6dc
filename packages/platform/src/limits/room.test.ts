import { expect, it } from 'vitest';
import { makeRoom } from './room.ts';

const idle = (account: string, id = '') => ({ account, isIdle: true, id });
const busy = (account: string, id = '') => ({ account, isIdle: false, id });
const ROOM = { most: 5, mostOfAccount: 3 };

it('is available until an account, or all together, reach the limit', () => {
  expect(makeRoom([], 'a', ROOM)).toEqual({});
  expect(makeRoom([busy('a'), busy('a'), busy('b')], 'a', ROOM)).toEqual({});
});

it('is made by ending one of the account at its own limit', () => {
  const own = [busy('a'), idle('b'), idle('a', 'first'), idle('a', 'second')];
  expect(makeRoom(own, 'a', ROOM).leaves?.id).toBe('first');
  expect(makeRoom([busy('a'), busy('a'), busy('a'), idle('b')], 'a', ROOM)).toEqual({ full: 'account' });
});

it('is made by ending one of the largest account at the total limit', () => {
  const present = [idle('b'), idle('c'), idle('a', 'first'), idle('a'), idle('a')];
  expect(makeRoom(present, 'd', ROOM).leaves?.id).toBe('first');
  const hog = [idle('b'), idle('c', 'idle'), busy('a'), busy('a'), busy('a')];
  expect(makeRoom(hog, 'd', ROOM).leaves?.account).toBe('b');
  expect(
    makeRoom(
      hog.map(({ account }) => busy(account)),
      'd',
      ROOM,
    ),
  ).toEqual({ full: 'all' });
});
