import { describe, expect, it } from 'vitest';
import { RelayError } from '../errors.ts';
import {
  agentNameOf,
  checkAgentName,
  checkName,
  isAgentName,
  nameKey,
  nameSkeleton,
  nearNames,
} from './names.ts';

function refusal(check: () => unknown): RelayError {
  try {
    check();
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

describe('the grammar of names', () => {
  it.each(['a', 'Z', '7', 'dev-a', 'dev_a', '0_-', 'a'.repeat(64)])('accepts %s', (name) => {
    expect(checkName(name)).toBe(name);
  });

  it.each([
    ['', 'empty'],
    ['a'.repeat(65), '65 characters; the limit is 64'],
    ['-a', '"-" at its start'],
    ['_a', '"_" at its start'],
    ['a b', 'a space'],
    ['a\n', 'U+000A'],
    ['a.b', '"."'],
    ['a:b', '":"'],
    ['#a', '"#" at its start'],
    ['a\u200bb', 'U+200B'],
    ['a\u202eb', 'U+202E'],
    ['smile😀', 'U+1F600'],
  ])('refuses %j and says why', (name, why) => {
    const error = refusal(() => checkName(name));
    expect(error.code).toBe('InvalidName');
    expect(error.message).toContain(why);
  });

  it.each(['Аlice', 'Ａlice', 'ålice', 'alıce', '爱丽丝', 'x２'])(
    'refuses %s, which has look-alike letters',
    (name) => {
      expect(refusal(() => checkName(name)).code).toBe('LookAlikeName');
    },
  );

  it('says whose name it is', () => {
    expect(refusal(() => checkName('', 'channel')).message).toContain('channel');
    expect(refusal(() => checkName('a b', 'project')).message).toContain('project');
  });
});

describe('reserved words', () => {
  it.each(['lead', 'spawn', 'release', 'discover', 'system', 'relay', 'human', 'all'])(
    '%s, in any case, names no agent',
    (word) => {
      for (const name of [word, word.toUpperCase()]) {
        expect(isAgentName(name)).toBe(false);
        expect(refusal(() => checkAgentName(name)).code).toBe('ReservedName');
      }
    },
  );

  it('may be part of a name, and name a channel', () => {
    expect(checkAgentName('leader')).toBe('leader');
    expect(checkName('all', 'channel')).toBe('all');
  });
});

describe('comparing names', () => {
  it('ignores case', () => {
    expect(nameKey('ALICE')).toBe(nameKey('alice'));
  });

  it.each([
    ['worker-1', 'worker-l'],
    ['worker-1', 'worker-I'],
    ['Bo', 'B0'],
    ['ILI', 'lll'],
  ])('%s and %s look alike', (one, other) => {
    expect(nameSkeleton(one)).toBe(nameSkeleton(other));
  });

  it('distinguishes names that look different', () => {
    const names = ['alice', 'alicia', 'bob', 'worker-1', 'worker-2', 'tim', 'tom'];
    expect(new Set(names.map(nameSkeleton)).size).toBe(names.length);
  });
});

describe('suggestions for an unknown name', () => {
  const known = ['Alice', 'Bob', 'Carol', 'reviewer', 'worker-1', 'worker-2', 'worker-3', 'worker-4'];

  it('finds a misspelt one', () => {
    expect(nearNames('Alcie', known)).toEqual(['Alice']);
    expect(nearNames('carlo', known)).toEqual(['Carol']);
    expect(nearNames('Boob', [...known, 'root'])).toEqual(['Bob']);
    expect(nearNames('Bbo', known)).toEqual(['Bob']);
  });

  it('completes a truncated name, with at most three suggestions', () => {
    expect(nearNames('review', known)).toEqual(['reviewer']);
    expect(nearNames('worker', known)).toEqual(['worker-1', 'worker-2', 'worker-3']);
  });

  it('puts the nearest first', () => {
    expect(nearNames('bab', ['rab', 'bob', 'Bab-2', 'zebra'], 2)).toEqual(['Bab-2', 'bob']);
  });

  it('is empty when no name is similar', () => {
    expect(nearNames('Zachariah', known)).toEqual([]);
    expect(nearNames('anybody', [])).toEqual([]);
  });
});

describe('the name for a system user', () => {
  it.each([
    ['alice', 'alice'],
    ['alice.smith', 'alice-smith'],
    ['DOMAIN\\Bob', 'DOMAIN-Bob'],
    ['_apt', 'apt'],
    ['jörg', 'jorg'],
    ['用户', 'user'],
    ['system', 'system-user'],
    ['1ead', '1ead-user'],
    ['x'.repeat(80), 'x'.repeat(64)],
  ])('%s is %s', (user, agent) => {
    expect(agentNameOf(user)).toBe(agent);
    expect(checkAgentName(agent)).toBe(agent);
  });
});
