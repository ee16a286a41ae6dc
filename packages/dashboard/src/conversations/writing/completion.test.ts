import { describe, expect, it } from 'vitest';
import { candidatesFor, completed, unfinishedAt } from './completion.ts';

describe('completion', () => {
  it.each([
    ['@Al', { mark: '@', word: 'Al', start: 0 }],
    ['Hello @', { mark: '@', word: '', start: 6 }],
    ['see (#rel', { mark: '#', word: 'rel', start: 5 }],
    ['me@example', undefined],
    ['@Alice is', undefined],
    ['', undefined],
  ])('of "%s" is offered where a name begins', (text, expected) => {
    expect(unfinishedAt(text, text.length)).toEqual(expected);
  });

  it('offers names that start with it before those that contain it, and only a few', () => {
    const names = ['Bela', 'Alice', 'Malory', 'alfred', 'Bob'];
    expect(candidatesFor('al', names)).toEqual(['Alice', 'alfred', 'Malory']);
    expect(
      candidatesFor(
        '',
        Array.from({ length: 20 }, (_, index) => `Agent${index}`),
      ),
    ).toHaveLength(6);
  });

  it('replaces the typed word with the name, and keeps the rest', () => {
    const text = 'Ask @Al now';
    const unfinished = unfinishedAt(text, 7);
    expect(unfinished && completed(text, unfinished, 'Alice')).toEqual({
      text: 'Ask @Alice now',
      cursor: 11,
    });
  });
});
