import fc from 'fast-check';

/** Marks, and what hides text in other programs that draw Markdown. */
const PIECES = [
  ...[
    '*',
    '**',
    '***',
    '_',
    '__',
    '~~',
    '`',
    '``',
    '```',
    '```js hidden\n',
    '~~~',
    '\\',
    '\\\n',
    '  \n',
    '\n',
    '\n\n',
  ],
  ...[
    '[',
    ']',
    '](',
    ')',
    '![',
    '[]()',
    '[a](http://b.c "title")',
    '[](http://b.c)',
    '[ ](http://b.c)',
    '![](http://b.c/d.png)',
  ],
  ...[
    '[a][b]',
    '[b]: http://c.d "title"\n',
    '[//]: # (hidden)\n',
    '[^1]',
    '[^1]: note\n',
    '<http://a.b>',
    'https://a.b/c_d_(e)',
  ],
  ...[
    '> ',
    '>',
    '- ',
    '* ',
    '+ ',
    '1. ',
    '007. ',
    '99999. ',
    '- [x] ',
    '    ',
    '\t',
    '# ',
    '###### ',
    '---\n',
    '===\n',
    '***\n',
  ],
  ...[
    '|',
    '| a | b |\n|---|:-:|\n| c | d | e |\n',
    '\\|',
    '\n|-|\n',
    '&nbsp;',
    '&lt;b&gt;',
    '&#8203;',
    '&#x202e;',
    '&shy;',
  ],
  ...[
    '<!-- hidden -->',
    '<!--',
    '-->',
    '<b>',
    '</b>',
    '<details><summary>a</summary>hidden</details>',
    '<br>',
    '<script>',
    '<p hidden>',
  ],
  ...[
    '<span style="color:transparent">x</span>',
    '<![CDATA[x]]>',
    '<?x?>',
    '<!DOCTYPE x>',
    '$x$',
    '==x==',
    '||x||',
    ':x:',
    '{{x}}',
  ],
  ...[
    '\u200b',
    '\u00ad',
    '\u2060',
    '\ufeff',
    '\u202e',
    '\u{e0041}',
    '\u3164',
    '\ufe0f',
    '\u{e0100}',
    '\u034f',
    '\u0301',
  ],
  ...['@Bob', '#release', 'word', 'é', '漢字', 'שלום', '👩‍👩‍👧', '0', ' ', '. '],
];

/** Texts of marks and words in any order. */
export const hostileMarkdown = (): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
        { weight: 2, arbitrary: fc.lorem({ maxCount: 3 }) },
        { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
      ),
      { maxLength: 60 },
    )
    .map((pieces) => pieces.join(''));

const BOMB_BYTES = 64 * 1024;

/** One or a few pieces again and again, as long as a message can be. */
export const markdownBomb = (): fc.Arbitrary<string> =>
  fc
    .tuple(hostileMarkdown(), fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }))
    .map(([start, pieces]) => {
      const again = pieces.join('');
      return `${start}${again.repeat(Math.floor(BOMB_BYTES / Buffer.byteLength(again)))}`;
    })
    .map((text) =>
      Buffer.from(text)
        .subarray(0, BOMB_BYTES)
        .toString()
        .replace(/\ufffd+$/, ''),
    );

/** The words of a text: what a person and a model read. */
export const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];
