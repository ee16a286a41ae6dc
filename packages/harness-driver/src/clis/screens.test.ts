import { describe, expect, it } from 'vitest';
import { readScreenFile } from '../../../../test/kit/screen-files.ts';
import { type Gate, gateOf } from '../delivery/gate.ts';
import type { ScreenView } from '../screen/view.ts';
import type { ScreenReader } from './adapter.ts';
import { claudeScreen } from './claude/screen.ts';
import { codexScreen } from './codex/screen.ts';
import { geminiScreen } from './gemini/screen.ts';
import { opencodeScreen } from './opencode/screen.ts';

const SCREENS = new URL('../../../../test/agents/screens/', import.meta.url);
const recorded = (cli: string, name: string): ScreenView =>
  readScreenFile(new URL(`${cli}/${name.replaceAll(/,? /g, '-')}.txt`, SCREENS));
const waits = (code: string): Gate => ({ wait: expect.objectContaining({ code }) });

/** Recorded from the real CLIs by test/agents/record-screens.ts. */
const ALL: Array<[name: string, gate: Gate]> = [
  ['idle', 'open'],
  ['after a turn', 'open'],
  ['interrupted', 'open'],
  ['draft', waits('draft')],
  ['draft of two lines', waits('draft')],
  ['slash command', waits('draft')],
  ['paste of many lines', waits('draft')],
  ['long paste', waits('draft')],
  ['thinking', waits('busy')],
  ['draft while thinking', waits('busy')],
  ['running a command', waits('busy')],
  ['permission dialog', waits('approval_dialog')],
  ['menu', waits('unknown_screen')],
];

/** With other widths, things are elsewhere or broken into two rows. */
const SIZES: Array<[name: string, gate: Gate]> = ['narrow', 'wide'].flatMap((size) => [
  [`idle, ${size}`, 'open'],
  [`after a turn, ${size}`, 'open'],
  [`draft, ${size}`, waits('draft')],
  [`thinking, ${size}`, waits('busy')],
  [`menu, ${size}`, waits('unknown_screen')],
]);

const FAILED = ['signed out', 'context full'].flatMap((name) => [name, `${name}, narrow`, `${name}, wide`]);

describe.each([
  ['claude', claudeScreen, '● Nothing to do.'],
  ['codex', codexScreen, '• Nothing to do.'],
  ['gemini', geminiScreen, '✦ Nothing to do.'],
])('the screen of %s after a turn that failed', (cli, reader, answer) => {
  it.each([...FAILED, 'interrupted'])('says why: %s', (name) => {
    const failure = name.split(',')[0]?.replace(' ', '_');
    expect(reader.read(recorded(cli, name))).toMatchObject({ state: 'composer', draft: '', failure });
  });

  it('says nothing of it when something else has happened', () => {
    for (const name of [...FAILED, 'interrupted']) {
      const { lines, ...view } = recorded(cli, name);
      const { text } = lines[view.cursor.row] ?? { text: '' };
      // The composer begins above the cursor's row, with empty lines between it and the conversation.
      const below = lines.findLastIndex((line, row) => row < view.cursor.row - 2 && line.text === '');
      expect(text).not.toBe('');
      const later = lines.with(below, { text: answer, looks: '.'.repeat(answer.length) });
      expect(reader.read({ ...view, lines: later }), name).not.toHaveProperty('failure');
    }
  });
});

it.each([
  ['claude', claudeScreen],
  ['codex', codexScreen],
])('of %s says that it is signed out, if it has no key to call its model with', (cli, reader) => {
  const reading = reader.read(recorded(cli, 'without a key'));
  expect(reading).toMatchObject({ state: 'composer', busy: false, failure: 'signed_out' });
});

it('of codex tells a usage limit from what is said about one', () => {
  const failed = recorded('codex', 'usage limit');
  expect(codexScreen.read(failed)).toMatchObject({ state: 'composer', failure: 'usage_limit' });
  const last = failed.lines.findLastIndex(({ text }) => text.startsWith('■'));
  for (const text of ['• You’ve hit your usage limit.', '› exceeded, last status: 429']) {
    const lines = failed.lines.with(last, { text, looks: '.'.repeat(text.length) });
    expect(codexScreen.read({ ...failed, lines })).not.toHaveProperty('failure');
  }
});

it.each([
  ['claude', claudeScreen, '● Select login method:'],
  ['codex', codexScreen, '• Choose how you want to use Codex'],
])('of %s tells a first question from one in its conversation', (cli, reader, text) => {
  const { lines, ...view } = recorded(cli, 'permission dialog');
  expect(reader.read({ ...view, lines: lines.with(0, { text, looks: '.'.repeat(text.length) }) })).toEqual({
    state: 'dialog',
  });
});

it('of codex shows a long draft, also where that hides what is below', () => {
  const many = recorded('codex', 'paste of many lines');
  const lines = many.lines.map((line, row) => (row > many.cursor.row ? { text: '', looks: '' } : line));
  const reading = codexScreen.read({ ...many, lines });
  expect(reading).toMatchObject({ state: 'composer', draft: expect.stringMatching(/a line of text$/) });
  const typed = lines.map((line) => ({ ...line, looks: line.looks.replace(/d$/, '.') }));
  expect(codexScreen.read({ ...many, lines: typed })).toEqual({ state: 'starting' });
});

describe.each<[string, ScreenReader, Array<[string, Gate]>]>([
  [
    'claude',
    claudeScreen,
    [
      ...ALL,
      ['question', waits('approval_dialog')],
      ['trust', { wait: { code: 'starting', detail: 'trust question' } }],
      ['setup', { wait: { code: 'starting', detail: 'first-run setup' } }],
      ['sign-in', { wait: { code: 'starting', detail: 'sign-in' } }],
      ['permission mode', { wait: { code: 'starting', detail: 'permission mode' } }],
      ['mcp servers', { wait: { code: 'starting', detail: 'MCP servers' } }],
      ['shortcuts', 'open'],
    ],
  ],
  [
    'codex',
    codexScreen,
    [
      ...ALL,
      ...SIZES,
      ['shortcuts', waits('unknown_screen')],
      ['question', waits('approval_dialog')],
      ['trust', { wait: { code: 'starting', detail: 'trust question' } }],
      ['sign-in', { wait: { code: 'starting', detail: 'sign-in' } }],
      ['update', { wait: { code: 'starting', detail: 'update' } }],
      ['hook review', { wait: { code: 'starting', detail: 'hook review' } }],
      ['usage limit', 'open'],
    ],
  ],
  [
    'gemini',
    geminiScreen,
    [
      ...ALL,
      ...SIZES,
      ['shortcuts', 'open'],
      ['shell mode', waits('unknown_screen')],
      ['question', waits('approval_dialog')],
      ['trust', { wait: { code: 'starting', detail: 'trust question' } }],
      ['sign-in', { wait: { code: 'starting', detail: 'sign-in' } }],
    ],
  ],
  [
    'opencode',
    opencodeScreen,
    [...ALL, ...SIZES, ['shell mode', waits('unknown_screen')], ['question', waits('approval_dialog')]],
  ],
])('the screen of %s', (cli, reader, screens) => {
  it.each(screens)('reads: %s', (name, gate) => {
    expect(gateOf(reader.read(recorded(cli, name)))).toEqual(gate);
  });

  it('is unknown if a part of the composer is missing', () => {
    const idle = recorded(cli, 'idle');
    const composer = idle.cursor.row;
    const changed: ScreenView[] = [
      { ...idle, bracketedPaste: false },
      { ...idle, cursor: { ...idle.cursor, row: 0 } },
      {
        ...idle,
        lines: idle.lines.map((line, row) => (row === composer ? { text: '$ ', looks: '..' } : line)),
      },
      { ...idle, lines: idle.lines.map(() => ({ text: '', looks: '' })) },
    ];
    for (const view of changed) expect(reader.read(view)).toEqual({ state: 'unknown' });
  });

  it('is not open before it shows its session', () => {
    const idle = recorded(cli, 'idle');
    const lines = idle.lines.map((line, row) => (row > idle.cursor.row + 1 ? { text: '', looks: '' } : line));
    expect(gateOf(reader.read({ ...idle, lines }))).not.toBe('open');
  });

  it('is not open in any other recording with the cursor where a composer has it', () => {
    const { cursor } = recorded(cli, 'idle');
    for (const [name, gate] of screens) {
      if (gate === 'open') continue;
      expect(gateOf(reader.read({ ...recorded(cli, name), cursor })), name).not.toBe('open');
    }
  });

  it('shows a pasted text, in full or as the CLI abbreviates it', () => {
    const { draft } = Object.assign({ draft: '' }, reader.read(recorded(cli, 'long paste')));
    expect(reader.isPasted(draft, 'anything')).toBe(true);
    expect(reader.isPasted('Relay message\n| one two', 'Relay message\n| one\ntwo')).toBe(true);
    expect(reader.isPasted('please do not', 'Relay message\n| one two')).toBe(false);
    const many = Object.assign({ draft: '' }, reader.read(recorded(cli, 'paste of many lines')));
    expect(reader.isPasted(many.draft, '| a line of text\n'.repeat(50))).toBe(true);
    expect(reader.isPasted(`please ${draft}`, 'anything')).toBe(false);
  });
});
