import { describe, expect, it } from 'vitest';
import type { Conversation, Speaker } from '../clis/conversation.ts';
import { Transcript } from './transcript.ts';
import { type SpokenLine, unwrap } from './unwrap.ts';

const lines = (...said: string[]): SpokenLine[] =>
  said.map((one) => {
    const [, who = '', text = ''] = /^([?>]?)(.*)$/.exec(one) ?? [];
    const speaker: Speaker = who === '>' ? 'person' : who === '?' ? 'unknown' : 'agent';
    return { speaker, text, isApart: false };
  });

/** What each of these screens tells that was not told before; each is looked at for a while. */
function told(...screens: string[][]): string[][] {
  const transcript = new Transcript();
  const look = { isComplete: true, turnSince: undefined };
  return screens.map((screen, index) => {
    transcript.take(lines(...screen), { ...look, now: index * 1000 });
    return transcript
      .take(lines(...screen), { ...look, now: index * 1000 + 500 })
      .map(({ speaker, text }) => (speaker === 'agent' ? text : `${speaker}: ${text}`));
  });
}

describe('the lines of screens', () => {
  it('are told once, while the screen scrolls', () => {
    expect(told(['one', 'two'], ['one', 'two', 'three'], ['two', 'three', 'four'])).toEqual([
      ['one', 'two'],
      ['three'],
      ['four'],
    ]);
  });

  it('are told again if they are said again', () => {
    expect(told(['>ping', 'pong'], ['>ping', 'pong', '>ping', 'pong'])).toEqual([
      ['person: ping', 'pong'],
      ['person: ping', 'pong'],
    ]);
  });

  it('are not told again when somebody scrolls back, or something is over them', () => {
    const all = Array.from({ length: 20 }, (_, number) => `line ${number}`);
    expect(
      told(all, all.slice(3, 9), all.slice(10), [...all.slice(12, 15), 'menu', ...all.slice(16)])[1],
    ).toEqual([]);
    expect(told(all, all.slice(3, 9), all.slice(10)).slice(1)).toEqual([[], []]);
    expect(told(all, [...all.slice(12, 15), 'menu', ...all.slice(16)])[1]).toEqual([]);
  });

  it('may begin in the middle of one', () => {
    expect(told(['a long line that is broken', 'two'], ['is broken', 'two', 'three'])[1]).toEqual(['three']);
  });

  it('are nobody’s above the first that says whose they are, unless they follow what is known', () => {
    expect(told(['?one', 'two'])).toEqual([['unknown: one', 'two']]);
    expect(told(['one', 'two'], ['?two', '?three'])[1]).toEqual(['three']);
    expect(told(['>one', '>two'], ['?two', '?three'])[1]).toEqual(['person: three']);
  });

  it('go on as the answer that has begun, though nothing seen before is left on the screen', () => {
    const transcript = new Transcript();
    const at = (now: number) => ({ now, isComplete: true, turnSince: 5 });
    expect(transcript.take(lines('>ask', 'one'), at(10))).toEqual([]);
    expect(transcript.take(lines('?eight', '?nine'), at(20))).toEqual(lines('>ask', 'one'));
    expect(transcript.take(lines('?eight', '?nine'), at(500))).toEqual(lines('eight', 'nine'));
  });

  it('count when they were seen for a moment', () => {
    const transcript = new Transcript();
    const at = (now: number) => ({ now, isComplete: true, turnSince: undefined });
    expect(transcript.take(lines('one', 'tw', 'three'), at(0))).toEqual([]);
    expect(transcript.take(lines('one', 'two', 'three'), at(250))).toEqual(lines('one'));
    expect(transcript.take(lines('one', 'two', 'three'), at(400))).toEqual([]);
    expect(transcript.take(lines('one', 'two', 'three'), at(500))).toEqual(lines('two', 'three'));
  });

  it('are not told again if the last one is drawn longer for a moment', () => {
    expect(told(['one', 'two'], ['one', 'twotwo'], ['one', 'two', 'three'])).toEqual([
      ['one', 'two'],
      [],
      ['three'],
    ]);
  });

  it('belong to who says them when they have been drawn, not while the line before is missing', () => {
    const transcript = new Transcript();
    const at = (now: number) => ({ now, isComplete: true, turnSince: undefined });
    expect(transcript.take(lines('>ask', '>->mcp:b'), at(0))).toEqual([]);
    const drawn = lines('>ask', '->mcp:a', '->mcp:b');
    expect(transcript.take(drawn, at(200))).toEqual([]);
    expect([...transcript.take(drawn, at(300)), ...transcript.take(drawn, at(600))]).toEqual(drawn);
  });
});

describe('broken lines', () => {
  const rows = (width: number, ...texts: string[]): Conversation => ({
    width,
    rows: texts.map((text) => ({ speaker: 'agent', text })),
  });
  const texts = (width: number, ...given: string[]) => unwrap(rows(width, ...given)).map(({ text }) => text);

  it('are put together where the next word had no room', () => {
    expect(texts(12, '->relay:Bob', 'hello there', 'Bob', '', 'next')).toEqual([
      '->relay:Bob hello there Bob',
      'next',
    ]);
    expect(texts(20, 'short', 'other')).toEqual(['short', 'other']);
  });

  it('have no blank in a word that is longer than the screen', () => {
    expect(texts(10, 'https://an', 'example.or', 'g/path end')).toEqual(['https://anexample.org/path end']);
  });

  it('are not joined with a command that follows a command or a sentence', () => {
    expect(texts(20, '->relay:Bob all done', '->relay:Ann all done')).toHaveLength(2);
    expect(texts(20, 'I will tell Ann now.', '->relay:Ann all done')).toHaveLength(2);
    expect(texts(20, 'never write the text', '->relay:Ann like this')).toHaveLength(1);
  });

  it('of lists keep their items apart', () => {
    expect(texts(16, '- one long item', '  goes on', '- two')).toEqual(['- one long item goes on', '- two']);
  });
});
