import { expect, it } from 'vitest';
import { backendEnvironment } from './environment.ts';

it('passes on the locale, configured variables, and what a program needs to start', () => {
  const own = { PATH: '/bin', LC_ALL: 'C', LCD: 'no', GITHUB_TOKEN: 'secret', TERM: '() { :; }' };
  expect(backendEnvironment(own, { KEY: 'k' })).toEqual({ PATH: '/bin', LC_ALL: 'C', KEY: 'k' });
});

it('prefers configured values', () => {
  expect(backendEnvironment({ PATH: '/bin', HOME: '/home' }, { PATH: '/opt' })).toEqual({
    PATH: '/opt',
    HOME: '/home',
  });
});
