import type { PromptAsk } from '@agent-relay/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileTexts, UNSEEN } from '../../../../../test/kit/hostile-prompts.ts';
import { readWholeText } from '../../../../../test/kit/whole-text.ts';
import { promptDigest, promptText } from './prompt-text.ts';

const asks: fc.Arbitrary<PromptAsk> = fc.oneof(
  fc.record({ kind: fc.constant('command' as const), command: hostileTexts(), description: hostileTexts() }),
  fc.record({
    kind: fc.constant('tool' as const),
    tool: hostileTexts(),
    input: hostileTexts(),
    description: hostileTexts(),
  }),
);

describe('a permission prompt', () => {
  it.each<[PromptAsk, string]>([
    [{ kind: 'command', command: 'ls' }, 'Run this command:\n  ls'],
    [
      { kind: 'command', command: 'ls', description: 'Lists' },
      'Run this command:\n  ls\nDescribed by the agent as: Lists',
    ],
    [
      { kind: 'tool', tool: 'mcp__git__push', input: '{}' },
      'Use the tool mcp__git__push with this input:\n  {}',
    ],
    [
      { kind: 'files', changes: [{ path: 'a b', how: 'add', content: '+1\n+2' }] },
      'Add the file "a b" (2 lines):\n  1  +1\n  2  +2',
    ],
    [
      {
        kind: 'files',
        changes: [
          { path: 'a', how: 'change', to: '/etc/b', content: '+1' },
          { path: 'c', how: 'delete', content: '-1' },
        ],
        description: 'Moves',
      },
      [
        'Change the file 1 of 2, a, move it to /etc/b:\n  +1',
        'Delete the file 2 of 2, c:\n  -1',
        'Described by the agent as: Moves',
      ].join('\n'),
    ],
  ])('of %j', (ask, text) => {
    expect(promptText(ask)).toBe(text);
  });

  it('begins with all that is asked for, and says what the agent says about it on the one line below', () => {
    fc.assert(
      fc.property(asks, (ask) => {
        const shown = promptText(ask);
        // As long as the limit, with hostile texts of some thousand blanks.
        if (shown === undefined) return;
        const { title, text, rest } = readWholeText(shown);
        expect(text).toBe(ask.kind === 'tool' ? ask.input : ask.kind === 'command' && ask.command);
        expect(title).toMatch(/^(Run this command|Use the tool .+ with this input)( \(.*\))?:$/);
        expect(rest).toHaveLength(ask.description ? 1 : 0);
        expect(rest.every((line) => line.startsWith('Described by the agent as: '))).toBe(true);
        expect(shown).not.toMatch(UNSEEN);
      }),
    );
  });

  it('has another digest whenever another text is shown', () => {
    fc.assert(
      fc.property(asks, asks, (one, other) => {
        const [text = '', second = ''] = [promptText(one), promptText(other)];
        const isSame = promptDigest('run', 'key', text) === promptDigest('run', 'key', second);
        expect(isSame).toBe(text === second);
      }),
    );
    const digests = [
      ['run', 'key', 'text'],
      ['ru', 'nkey', 'text'],
      ['run', 'keyt', 'ext'],
    ].map(([run = '', key = '', text = '']) => promptDigest(run, key, text));
    expect(new Set(digests).size).toBe(3);
  });
});
