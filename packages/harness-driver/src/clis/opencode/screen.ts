import type { ScreenView } from '../../screen/view.ts';
import type { Reading, ScreenReader } from '../adapter.ts';
import { showsEndOf } from '../pasted.ts';

const BAR = '┃';
const BOTTOM = /^( *)╹(▀{8,})/;
const PLACEHOLDER = 'Ask anything…';
/** Of the text, from the bar. */
const INDENT = 3;
const WORKING = /^\s*[⬝■]{4,}\s+esc\b|\besc (again to )?interrupt\b/;
const DIALOG = /△ |\benter (confirm|submit)\b|\besc dismiss\b/;
const MENU = /\S {3,}esc(\/enter)?\b/;

/**
 * OpenCode draws a bar at the left of its composer, and half a row below it. From top to bottom: an empty row, the draft or
 * a suggestion, an empty row, then the agent and the model. Beside it there may be other things. A question has the bar
 * too, but not the half row. A menu is drawn over everything and has the cursor.
 */
export const opencodeScreen: ScreenReader = {
  read(view) {
    const composer = findComposer(view);
    if (composer !== undefined) return readComposer(view, composer);
    const texts = view.lines.map(({ text }) => text);
    if (texts.some((text) => DIALOG.test(text)) && !texts.some((text) => BOTTOM.test(text)))
      return { state: 'dialog' };
    return { state: texts.some((text) => MENU.test(text)) ? 'menu' : 'unknown' };
  },
  isPasted: (draft, text) => /^\[Pasted ~\d+ lines\]$/.test(draft) || showsEndOf(draft, text),
};

interface Composer {
  /** The first row of the draft. */
  top: number;
  /** The row of the half row. */
  bottom: number;
  /** What is written in it, from top to bottom. */
  rows: string[];
  /** The column where its text begins. */
  left: number;
}

function findComposer({ lines, cursor, bracketedPaste }: ScreenView): Composer | undefined {
  if (!bracketedPaste || !cursor.visible) return undefined;
  const bottom = lines.findLastIndex(({ text }) => BOTTOM.test(text));
  const [, blanks = '', half = ''] = BOTTOM.exec(lines[bottom]?.text ?? '') ?? [];
  const bar = blanks.length;
  // The list of commands above it has a bar on either side.
  const hasBar = (row: number) => lines[row]?.text[bar] === BAR && lines[row].text.lastIndexOf(BAR) === bar;
  let edge = bottom;
  while (hasBar(edge - 1)) edge--;
  if (bottom - edge < 4) return undefined;
  const rows = lines.slice(edge, bottom).map(({ text }) => text.slice(bar + 1, bar + 1 + half.length).trim());
  // `Build · model`; in its shell mode, what is typed is run as a command.
  if (rows[0] !== '' || rows.at(-2) !== '' || !rows.at(-1)?.includes(' · ')) return undefined;
  const left = bar + INDENT;
  if (cursor.row <= edge || cursor.row >= bottom - 2 || cursor.column < left) return undefined;
  return { top: edge + 1, bottom, rows: rows.slice(1, -2), left };
}

function readComposer({ lines, cursor }: ScreenView, { top, bottom, rows, left }: Composer): Reading {
  // Typed text moves the cursor, whatever it looks like.
  const atStart = cursor.row === top && cursor.column === left;
  const isBlank = rows.length === 1 && rows[0] === '';
  const isEmpty = atStart && (isBlank || rows[0]?.startsWith(PLACEHOLDER) === true);
  const busy = lines.slice(bottom + 1).some(({ text }) => WORKING.test(text));
  return { state: 'composer', draft: isEmpty ? '' : rows.join('\n').trim() || ' ', busy };
}
