import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('runs a few tasks of an account at once, and the rest in order, without delaying other accounts', async () => {
  const turns = new Turns(2);
  const begun: string[] = [];
  const enter = async (account: string, what: string) => {
    const leave = await turns.enter(account);
    begun.push(what);
    return leave;
  };
  const [first, second] = [await enter('Alice', 'a1'), await enter('Alice', 'a2')];
  const third = enter('Alice', 'a3');
  const fourth = enter('Alice', 'a4');
  (await enter('Bob', 'b1'))();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  first();
  // Ending twice makes no second place free.
  first();
  (await third)();
  (await fourth)();
  second();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  const again = [await enter('Alice', 'a5'), await enter('Alice', 'a6')];
  expect(again).toHaveLength(2);
});
