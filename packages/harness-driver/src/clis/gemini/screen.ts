import type { ScreenLine, ScreenView } from '../../screen/view.ts';
import type { Reading, ScreenReader } from '../adapter.ts';
import { showsEndOf } from '../pasted.ts';
import type { TurnFailure } from '../reading.ts';
import { type FailureWords, failureIn } from '../turn-failure.ts';

const PLACEHOLDER = 'Type your message or @path/to/file';
/** Where the text begins: after ` > `, or ` * ` where nothing is asked. ` ! ` runs commands, so it is no composer. */
const PROMPT = /^ [>*] /;
const TEXT_COLUMN = 3;
/** `⠦ Thinking... (esc to cancel, 2s)`, in a narrow terminal on two rows. */
const SPINNER = /\(esc to cancel, [\dms ]+\)/;
const TRUST = /\bDo you trust\b/i;
const SIGN_IN = /\bHow would you like to authenticate\b|\bEnter Gemini API Key\b|\bWaiting for auth/i;
const MENU = /\((Press Esc to|Use Enter to)\b/;
const CHOICE = /● \d+\. /;
/** What each entry of the conversation begins with. */
const ENTRY = /^( > |[✦✕╭ℹ])/;
/** Is an entry of its own below a failure. */
const HINT = /^ℹ This request failed\./;
const FAILURES: FailureWords = [
  ['signed_out', /UNAUTHENTICATED|APIkeynotvalid/],
  ['usage_limit', /RESOURCE_EXHAUSTED/],
  ['context_full', /exceedsthemaximumnumberoftokens/],
];

/**
 * Gemini CLI draws a line across the screen, the approval mode below it, then its composer and a footer. A dialog takes
 * the place of all of them.
 */
export const geminiScreen: ScreenReader = {
  read(view) {
    const top = findComposer(view);
    if (top !== undefined) return readComposer(view, top);
    const text = view.lines.map((line) => line.text).join('\n');
    if (TRUST.test(text) && CHOICE.test(text)) return { state: 'starting', question: 'trust question' };
    if (SIGN_IN.test(text)) return { state: 'starting', question: 'sign-in' };
    if (MENU.test(text)) return { state: 'menu' };
    return CHOICE.test(text) ? { state: 'dialog' } : { state: 'unknown' };
  },
  isPasted: (draft, text) => /^\[Pasted Text: \d+ (lines|chars)\]$/.test(draft) || showsEndOf(draft, text),
};

/** The row of the prompt sign, if everything around it and the cursor, which it hides, are where they belong. */
function findComposer({ lines, columns, cursor, bracketedPaste }: ScreenView): number | undefined {
  const rule = lines.findLastIndex(({ text }) => isAcross(text, '─', columns));
  const top = lines.findIndex(({ text }, row) => row > rule && PROMPT.test(text));
  if (rule < 0 || top < 0 || top - rule > 4 || !bracketedPaste) return undefined;
  if (!isEdge(lines[top - 1], '▄', columns)) return undefined;
  const end = endOfDraft(lines, top, cursor.row, columns);
  // The footer is drawn last.
  const isDrawn = lines.slice(end + 2).some(({ text }) => text !== '');
  const hasCursor = cursor.row >= top && cursor.row <= end && cursor.column >= TEXT_COLUMN;
  return isDrawn && hasCursor && isEdge(lines[end + 1], '▀', columns) ? top : undefined;
}

const isAcross = (text: string, sign: string, columns: number): boolean =>
  text.length >= columns - 1 && text === sign.repeat(text.length);

/** Above and below the draft is an empty row, or half a row where the terminal has enough colours. */
const isEdge = (line: ScreenLine | undefined, sign: string, columns: number): boolean =>
  line !== undefined && (line.text === '' || isAcross(line.text, sign, columns));

/** A draft may have empty rows in it: it reaches at least to the cursor. */
function endOfDraft(lines: readonly ScreenLine[], top: number, cursorRow: number, columns: number): number {
  const edge = lines.findIndex((line, row) => row > Math.max(top, cursorRow) && isEdge(line, '▀', columns));
  return (edge < 0 ? lines.length : edge) - 1;
}

function readComposer({ lines, cursor, columns }: ScreenView, top: number): Reading {
  const rows = lines.slice(top, endOfDraft(lines, top, cursor.row, columns) + 1);
  // Typed text moves the cursor and starts where the cursor was.
  const atStart = cursor.row === top && cursor.column === TEXT_COLUMN;
  const isEmpty = atStart && rows.length === 1 && rows[0]?.text.slice(TEXT_COLUMN) === `  ${PLACEHOLDER}`;
  const draft = rows
    .map(({ text }) => text.slice(TEXT_COLUMN))
    .join('\n')
    .trim();
  const above = lines.slice(0, top).map(({ text }) => text.trim());
  const busy = SPINNER.test(above.join(' '));
  const failure = failureAbove(lines.slice(0, top));
  return {
    state: 'composer',
    draft: isEmpty ? '' : draft || ' ',
    busy,
    ...(failure && { failure }),
  };
}

/** A long failure may begin above the screen; then the hint tells that it is one. */
function failureAbove(lines: readonly ScreenLine[]): TurnFailure | undefined {
  const last = lines.findLastIndex(({ text }) => ENTRY.test(text));
  if (lines[last]?.text.startsWith('ℹ Request cancelled.')) return 'interrupted';
  const isHint = HINT.test(lines[last]?.text ?? '');
  const end = isHint ? last : lines.length;
  const first = lines.slice(0, end).findLastIndex(({ text }) => ENTRY.test(text));
  const isFailure = first < 0 ? isHint : lines[first]?.text.startsWith('✕ ');
  return isFailure ? failureIn(lines.slice(Math.max(first, 0), end), FAILURES) : undefined;
}
