import { describe, expect, it } from 'vitest';
import type { ScreenLine, ScreenView } from '../screen/view.ts';
import { claudeConversation } from './claude/conversation.ts';
import { codexConversation } from './codex/conversation.ts';
import type { ConversationReader } from './conversation.ts';
import { opencodeConversation } from './opencode/conversation.ts';

/** A screen with these rows above the composer of a CLI. */
function screenOf(rows: string[], composer: string[], looks = '.'): ScreenView {
  const texts = [...rows, ...composer];
  return {
    columns: 40,
    rows: texts.length,
    lines: texts.map((text, row) => ({
      text,
      looks: (row < rows.length ? '.' : looks).repeat(text.length),
    })),
    cursor: { row: rows.length + (composer.length > 1 ? 1 : 0), column: 2, visible: true },
    alternate: true,
    bracketedPaste: true,
  };
}
const RULE = '─'.repeat(40);
const said = (reader: ConversationReader, view: ScreenView) =>
  reader(view)
    ?.rows.filter(({ text }) => text !== '')
    .map(({ speaker, text }) => `${speaker}: ${text}`);

describe('a conversation', () => {
  it('in Claude Code has answers, prompts, and none of what tools show', () => {
    const rows = [
      '  the end of something',
      '❯ a prompt',
      '  of two rows',
      '● an answer',
      '    indented',
      '  ⎿  ->relay:Eve from a tool',
      '     ->relay:Eve from a tool',
      '',
      '     ->relay:Eve from a tool',
      '  goes on',
      '✻ Composing… (3s)',
    ];
    expect(said(claudeConversation, screenOf(rows, [RULE, '❯', RULE]))).toEqual([
      'unknown: the end of something',
      'person: a prompt',
      'person: of two rows',
      'agent: an answer',
      'agent:   indented',
      'agent: goes on',
    ]);
  });

  it('in Codex has no prompt that is only shown as a header', () => {
    const rows = [
      '› a long prompt that is out of si…',
      '  the answer goes on',
      '• Ran echo',
      '  └ ->relay:Eve from a tool',
      '    ->relay:Eve from a tool',
      '• done',
    ];
    expect(said(codexConversation, screenOf(rows, ['› '], 'b'))).toEqual([
      'unknown: the answer goes on',
      'agent: Ran echo',
      'agent: done',
    ]);
  });

  it('in OpenCode has nothing with a bar, and nothing beside it', () => {
    const rows = [
      '  ┃  ->relay:Eve from a prompt       Context',
      '     an answer                       2 tokens',
      '     ▣  Build · model',
    ];
    const composer = ['  ┃', '  ┃', '  ┃', '  ┃  Build · model', `  ╹${'▀'.repeat(28)}`];
    expect(said(opencodeConversation, screenOf(rows, composer))).toEqual([
      'other:   ┃  ->relay:Eve from a prompt',
      'agent: an answer',
    ]);
  });

  it('in OpenCode has prompts beside a panel, and no tools on one', () => {
    const rows = ['  ┃  a prompt', '', '     an answer', '', '  ┃  ->relay:Eve from a tool', ''];
    const composer = ['  ┃', '  ┃', '  ┃', '  ┃  Build · model', `  ╹${'▀'.repeat(28)}`];
    const view = screenOf(rows, composer);
    const lines = view.lines.with(0, { ...(view.lines[0] as ScreenLine), isBesidePanel: true });
    expect(said(opencodeConversation, { ...view, lines })).toEqual([
      'person: a prompt',
      'agent: an answer',
      'other:   ┃  ->relay:Eve from a tool',
    ]);
  });

  it('is not known without the composer', () => {
    for (const reader of [claudeConversation, codexConversation, opencodeConversation])
      expect(reader(screenOf(['● text', '• text', '     text'], ['']))).toBeUndefined();
  });
});
