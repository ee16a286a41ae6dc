import { expect, test } from 'vitest';
import { isAllowed, matchesTemplate, offeredName } from './names.ts';

test('shortens names to 64 plain characters, and keeps long ones distinct', () => {
  const long = 'x'.repeat(80);
  const names = [`${long}1`, `${long}2`, 'with.dots/and spaces'].map((name) => offeredName('', name));
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(names[2]).toBe('with_dots_and_spaces');
});

test('counts the prefix as part of the 64 characters and of the hash', () => {
  const [one, other] = ['a_', 'b_'].map((prefix) => offeredName(prefix, 'x'.repeat(64)));
  expect(one).toHaveLength(64);
  expect(one?.slice(-8)).not.toBe(other?.slice(-8));
});

test.each([
  ['read_file', [], [], true],
  ['read_file', ['read_*'], [], true],
  ['write', ['read_*'], [], false],
  ['read_file', [], ['*_file'], false],
  ['read_file', ['*'], ['read_file'], false],
  ['read', ['read_*'], [], false],
  ['a.b', ['a?b'], [], false],
])('%s with allow %j and deny %j: %s', (name, allow, deny, expected) => {
  expect(isAllowed(name, allow, deny)).toBe(expected);
});

test('matches a template without a regular expression from the backend', () => {
  expect(matchesTemplate('file:///{path}', 'file:///a/b')).toBe(true);
  expect(matchesTemplate('x://{a}/y/{b}', 'x://1/y/2')).toBe(true);
  expect(matchesTemplate('x://{a}/y', 'x:///y')).toBe(false);
  const hostile = `${'{a}x'.repeat(2000)}`;
  expect(matchesTemplate(hostile, 'x'.repeat(5000))).toBe(true);
});
