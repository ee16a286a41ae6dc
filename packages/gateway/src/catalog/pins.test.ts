import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { approveIn, changedIn, Pins } from './pins.ts';

const tool = (name: string, description = 'Reads.') => ({ name, description });

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pins-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Approves what waits, as it is read, and tells what that was. */
async function approve(server?: string, tool?: string): Promise<string[]> {
  const changes = await changedIn(directory, { server, tool });
  for (const change of changes) expect(await approveIn(directory, change)).toBe(true);
  return changes.map((change) => `${change.server}.${change.tool}`);
}
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
  expect(await approve('a', 'one')).toEqual(['a.one']);
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
  expect(await approve('a')).toEqual(['a.one']);
  expect(await approve()).toEqual(['b.one']);
  expect(await approve()).toEqual([]);
});

it('approves only the definition that was read', async () => {
  const pins = await open();
  const offers = async (description: string) => {
    pins.review('a', [tool('one', description)], 'strict');
    await pins.saved();
  };
  await offers('Reads.');
  await offers('Sends.');
  const [read] = await changedIn(directory);
  expect(read).toMatchObject({ server: 'a', tool: 'one', definition: tool('one', 'Sends.') });
  await offers('Deletes.');
  expect(read && (await approveIn(directory, read))).toBe(false);
  expect(await changedIn(directory)).toMatchObject([{ definition: tool('one', 'Deletes.') }]);
});

it.each([
  ['an older version, without the definition', (digest: string) => digest],
  ['another definition than its digest', (digest: string) => ({ digest, definition: tool('one', 'Lies.') })],
])('does not offer for approval what the file has of %s, until it is seen again', async (_what, stored) => {
  const file = join(directory, 'pins.json');
  const now = [tool('one', 'Sends.')];
  const pins = await open();
  pins.review('a', [tool('one')], 'strict');
  pins.review('a', now, 'strict');
  await pins.saved();
  const content = JSON.parse(await readFile(file, 'utf8'));
  content.a.pending.one = stored(content.a.pending.one.digest);
  await writeFile(file, JSON.stringify(content));
  expect(await changedIn(directory)).toEqual([]);
  const later = await open();
  later.review('a', now, 'strict');
  await later.saved();
  expect(await changedIn(directory)).toMatchObject([{ definition: now[0] }]);
});

it('with off, remembers nothing', async () => {
  const pins = await open();
  pins.review('a', [tool('one')], 'off');
  expect(pins.review('a', [tool('one', 'Sends.')], 'strict').withheld.size).toBe(0);
  await pins.saved();
});
