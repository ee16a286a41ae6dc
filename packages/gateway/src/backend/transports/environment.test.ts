import { expect, it } from 'vitest';
import { backendEnvironment } from './environment.ts';

it('passes what a program needs to start, the locale, and what is configured', () => {
  const own = { PATH: '/bin', LC_ALL: 'C', LCD: 'no', GITHUB_TOKEN: 'secret', TERM: '() { :; }' };
  expect(backendEnvironment(own, { KEY: 'k' })).toEqual({ PATH: '/bin', LC_ALL: 'C', KEY: 'k' });
});

it('lets the configuration win', () => {
  expect(backendEnvironment({ PATH: '/bin', HOME: '/home' }, { PATH: '/opt' })).toEqual({
    PATH: '/opt',
    HOME: '/home',
  });
});
