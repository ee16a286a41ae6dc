import { describe, expect, it } from 'vitest';
import { ConfigSyntaxError } from './config-text.ts';
import { jsonText } from './json-text.ts';
import { yamlText } from './yaml-text.ts';

const YAML = `# my servers
backends:
  - name: one   # the first
    url: ws://one
`;
const JSONC = `{
  // my servers
  "backends": [
    { "name": "one", "url": "ws://one" },
  ],
}
`;

describe.each([
  ['YAML', yamlText, YAML, '4:10'],
  ['JSON with comments', jsonText, JSONC, '4:29'],
] as const)('%s', (_name, textOf, text, position) => {
  it('is parsed with the position of each part', () => {
    const config = textOf(text);
    expect(config.value).toEqual({ backends: [{ name: 'one', url: 'ws://one' }] });
    expect(config.position(['backends', 0, 'url'])).toBe(position);
    // Of what is not there, that of what it would be in.
    expect(config.position(['backends', 0, 'url', 'x'])).toBe(position);
    expect(config.position(['nothing'])).toBe('1:1');
  });

  it('can be edited and restored without other changes', () => {
    const more = textOf(text).withValue(['backends', 1], { name: 'two', url: 'ws://two' });
    expect(textOf(more).value).toEqual({
      backends: [
        { name: 'one', url: 'ws://one' },
        { name: 'two', url: 'ws://two' },
      ],
    });
    expect(more).toContain('my servers');
    expect(textOf(textOf(more).without(['backends', 1])).value).toEqual(textOf(text).value);
  });
});

it.each([
  ['YAML', () => yamlText('backends:\n  - name: [one'), '2:15'],
  ['JSON', () => jsonText('{\n  "backends": [,]\n}'), '2:16'],
] as const)('%s with a mistake: the error names its line', (_name, parse, position) => {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigSyntaxError);
    expect(error).toMatchObject({ position });
    return;
  }
  expect.unreachable('the mistake was not seen');
});

it('an empty file is an empty configuration', () => {
  expect(jsonText(' \n').value).toEqual({});
});
