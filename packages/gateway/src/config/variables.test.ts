import { expect, it } from 'vitest';
import { expandVariables } from './variables.ts';

const variable = (name: string) => `\${${name}}`;
const expand = <T>(value: T, env: NodeJS.ProcessEnv = {}) => {
  const used = new Map<string, string | undefined>();
  return { value: expandVariables(value, env, used), used: Object.fromEntries(used) };
};

it('replaces variables in strings at any depth, and leaves all else as it is', () => {
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

it('takes the default where a variable is not set, and tells which are missing', () => {
  expect(expand(`${variable('A:-eu')} ${variable('B:-')} ${variable('C')}`)).toEqual({
    value: 'eu  ',
    used: { A: 'eu', B: '', C: undefined },
  });
});

it('expands no name but its own kind, and nothing a second time', () => {
  const untouched = `$KEY ${variable('1X')} ${variable('a-b')} \${`;
  expect(expand(untouched, { KEY: 'k' }).value).toBe(untouched);
  expect(expand(variable('A'), { A: variable('B'), B: 'b' }).value).toBe(variable('B'));
});
