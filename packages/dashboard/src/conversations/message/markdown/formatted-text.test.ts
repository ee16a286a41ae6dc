import { safeText } from '@agent-relay/protocol';
import fc from 'fast-check';
import { isValidElement, type VNode } from 'preact';
import { describe, expect, it } from 'vitest';
import { hostileMarkdown, markdownBomb, wordsIn } from '../../../../../../test/kit/hostile-markdown.ts';
import { FormattedText } from './formatted-text.tsx';

const drawWords = (text: string): string => text;

type Draw = (type: string, props: Record<string, unknown>, inner: string) => string;

/** What is drawn of a component, with each element as the given function writes it. */
function written(node: unknown, draw: Draw): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map((one) => written(one, draw)).join('');
  if (!isValidElement(node)) return '';
  const { type, props } = node as VNode<Record<string, unknown>>;
  if (typeof type === 'string') return draw(type, props, written(props.children, draw));
  return written((type as (given: unknown) => unknown)(props), draw);
}

/** The elements with their addresses and numbers, to compare. */
const drawn = (text: string): string =>
  written(FormattedText({ text, drawWords }), (type, { href, value }, inner) => {
    const note = href ?? value;
    return `<${type}${note === undefined ? '' : ` ${note}`}>${inner}</>`;
  });

/** Only what a person reads: the texts, and the numbers beside items. */
const readable = (text: string): string =>
  written(FormattedText({ text, drawWords }), (_, { value = '' }, inner) => ` ${value} ${inner} `);

describe('a text is formatted', () => {
  it.each([
    ['plain', '<p>plain</>'],
    ['two\nlines', '<p>two\nlines</>'],
    ['**b** _i_ ~~d~~ `c*`', '<p><strong>b</> <em>i</> <del>d</> <code>c*</></>'],
    ['***both***', '<p><em><strong>both</></></>'],
    ['**a *b* c**', '<p><strong>a <em>b</> c</></>'],
    ['snake_case_name 2*3*4 a * b', '<p>snake_case_name 2<em>3</>4 a * b</>'],
    ['# Title\ntext', '<h1>Title</><p>text</>'],
    ['#release is no title', '<p>#release is no title</>'],
    ['a\n\nb\n***\nc', '<p>a</><p>b</><hr></><p>c</>'],
    ['> a\n> > b\nc', '<blockquote><p>a</><blockquote><p>b</></></><p>c</>'],
    ['- a\n  - b\n- c', '<ul><li><p>a</><ul><li><p>b</></></></><li><p>c</></></>'],
    ['1. a\n   more\n\n   - b\n7. c', '<ol><li 1><p>a\nmore</><ul><li><p>b</></></></><li 7><p>c</></></>'],
    ['In\n1986. A year', '<p>In\n1986. A year</>'],
    ['- [x] done', '<ul><li><p>[x] done</></></>'],
    ['```js\nlet a;\n\n# b\n```\nc', '<p>js</><pre><code>let a;\n\n# b</></><p>c</>'],
    ['- a\n  ```\n  code\n    in\n  ```', '<ul><li><p>a</><pre><code>code\n  in</></></></>'],
    ['Not closed:\n```\ncode', '<p>Not closed:</><pre><code>code</></>'],
    ['    indented\n      more', '<pre><code>indented\n  more</></>'],
    [
      'So:\n| a | b |\n|---|--:|\n| `c` | d\\|e | f |',
      '<p>So:</><table><thead><tr><th>a</><th>b</></></><tbody><tr><td><code>c</></><td>d|e</><td>f</></></></>',
    ],
    ['See https://a.b/c_(d). Yes', '<p>See <a https://a.b/c_(d)>https://a.b/c_(d)</>. Yes</>'],
    ['<https://a.b>', '<p><a https://a.b>https://a.b</></>'],
    ['[**a**](https://b.c)', '<p><a https://b.c><strong>a</></><span> (https://b.c)</></>'],
    ['[https://b.c](https://b.c)', '<p><a https://b.c>https://b.c</></>'],
    ['**https://b.c**', '<p><strong><a https://b.c>https://b.c</></></>'],
    ['\\*a\\* `` ` `` \\`b', '<p>*a* <code>`</> `b</>'],
  ])('%j', (text, expected) => {
    expect(drawn(text)).toBe(expected);
  });
});

describe('nothing that a model reads is hidden', () => {
  it.each([
    ['<!-- a comment -->', '<p><!-- a comment --></>'],
    ['[//]: # (a definition)', '<p>[//]: # (a definition)</>'],
    ['[a]: https://b.c "d"', '<p>[a]: <a https://b.c>https://b.c</> "d"</>'],
    ['[a](https://b.c "a title")', '<p><a https://b.c>a</><span> (https://b.c "a title")</></>'],
    ['[](https://b.c "t")', '<p><a https://b.c>https://b.c "t"</></>'],
    ['![](https://b.c/d.png)', '<p><a https://b.c/d.png>https://b.c/d.png</></>'],
    ['[a](javascript:b)', '<p>[a](javascript:b)</>'],
    ['&lt;b&gt; &nbsp; &#x202e;', '<p>&lt;b&gt; &nbsp; &#x202e;</>'],
    ['```js and words\nc\n```', '<p>js and words</><pre><code>c</></>'],
    ['007. Bond', '<p>007. Bond</>'],
  ])('%j', (text, expected) => {
    expect(drawn(text)).toBe(expected);
  });

  it('whatever it is written with', () => {
    fc.assert(
      fc.property(hostileMarkdown(), (text) => {
        const shown = new Set(wordsIn(readable(text)));
        const safe = safeText(text);
        expect(wordsIn(safe).filter((word) => !shown.has(word))).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  const bombs = [
    '>',
    '> ',
    '*',
    '*a_',
    '**a ',
    '[',
    '[a](',
    '![',
    '- ',
    '1. ',
    '`',
    '`a``',
    '|x',
    '~~a~',
    '&amp;',
    '<!--',
    'a@',
    '\\',
    '](  ',
    'http://',
    '_a*b__',
    '> - ',
  ];
  it.each(bombs)('however often %j is written, in time', (piece) => {
    const text = `before ${piece.repeat(Math.floor(65_000 / piece.length))} after\n${piece.repeat(3_000)}last`;
    const startedAt = performance.now();
    const shown = readable(text);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    for (const word of ['before', 'after', 'last']) expect(shown).toContain(word);
  });

  it('in time, as long as a message can be', () => {
    fc.assert(
      fc.property(markdownBomb(), (text) => {
        const startedAt = performance.now();
        FormattedText({ text, drawWords });
        expect(performance.now() - startedAt).toBeLessThan(2_000);
      }),
      { numRuns: 60 },
    );
  });
});
