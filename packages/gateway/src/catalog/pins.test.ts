import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { approveIn, Pins } from './pins.ts';

const tool = (name: string, description = 'Reads.') => ({ name, description });

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pins-'));
});
afterEach(() => rm(directory, { recursive: true }));

const open = () => Pins.open(directory, expect.unreachable);

it('trusts the first definition', async () => {
  const pins = await open();
  expect(pins.review('a', [tool('one')], 'strict')).toEqual({
    changed: [],
    digests: new Map(),
    withheld: new Map(),
  });
  await pins.saved();
});

it('with warn, reports a changed tool and still lists it; a new one is not reported', async () => {
  const pins = await open();
  pins.review('a', [tool('one')], 'warn');
  const { changed, withheld } = pins.review('a', [tool('one', 'Sends.'), tool('two')], 'warn');
  expect([changed, withheld.size]).toEqual([['one'], 0]);
  await pins.saved();
});

it('with strict, withholds both until a person approves that exact definition', async () => {
  const pins = await open();
  pins.review('a', [tool('one')], 'strict');
  const now = [tool('one', 'Sends.'), tool('two')];
  const held = () => [...pins.review('a', now, 'strict').withheld.keys()];
  expect(held()).toEqual(['one', 'two']);
  await pins.saved();
  expect(await approveIn(directory, 'a', 'one')).toEqual(['a.one']);
  await pins.reload();
  expect(held()).toEqual(['two']);
  expect([...pins.review('a', [tool('one', 'Deletes.')], 'strict').withheld.keys()]).toEqual(['one']);
  await pins.saved();
});

it('approves a definition once, for its own backend only', async () => {
  const pins = await open();
  for (const name of ['a', 'b']) pins.review(name, [tool('one')], 'strict');
  for (const name of ['a', 'b']) pins.review(name, [tool('one', 'Sends.')], 'strict');
  await pins.saved();
  expect(await approveIn(directory, 'a')).toEqual(['a.one']);
  expect(await approveIn(directory)).toEqual(['b.one']);
  expect(await approveIn(directory)).toEqual([]);
});

it('with off, remembers nothing', async () => {
  const pins = await open();
  pins.review('a', [tool('one')], 'off');
  expect(pins.review('a', [tool('one', 'Sends.')], 'strict').withheld.size).toBe(0);
  await pins.saved();
});
