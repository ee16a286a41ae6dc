import { expect, it } from 'vitest';
import { expandVariables } from './variables.ts';

const variable = (name: string) => `\${${name}}`;
const expand = <T>(value: T, env: NodeJS.ProcessEnv = {}) => {
  const used = new Map<string, string | undefined>();
  return { value: expandVariables(value, env, used), used: Object.fromEntries(used) };
};

it('replaces variables in strings at any depth, and changes nothing else', () => {
  const value = {
    args: ['-k', variable('KEY')],
    env: { A: `x${variable('KEY')}y${variable('KEY')}` },
    timeout: 5,
    lazy: true,
  };
  expect(expand(value, { KEY: 'k' })).toEqual({
    value: { args: ['-k', 'k'], env: { A: 'xkyk' }, timeout: 5, lazy: true },
    used: { KEY: 'k' },
  });
});

it('uses the default of a variable that is not set, and reports missing ones', () => {
  expect(expand(`${variable('A:-eu')} ${variable('B:-')} ${variable('C')}`)).toEqual({
    value: 'eu  ',
    used: { A: 'eu', B: '', C: undefined },
  });
});

it('expands only its own syntax, and only once', () => {
  const untouched = `$KEY ${variable('1X')} ${variable('a-b')} \${`;
  expect(expand(untouched, { KEY: 'k' }).value).toBe(untouched);
  expect(expand(variable('A'), { A: variable('B'), B: 'b' }).value).toBe(variable('B'));
});
