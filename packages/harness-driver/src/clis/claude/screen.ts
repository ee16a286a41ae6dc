import type { ScreenLine, ScreenView } from '../../screen/view.ts';
import type { Reading, ScreenReader } from '../adapter.ts';
import { showsEndOf } from '../pasted.ts';
import { type FailureWords, failureIn, paragraphAt } from '../turn-failure.ts';

const PROMPT = '❯';
/** `✻ Composing… (3s · ↓ 10 tokens)`, in contrast to `✻ Crunched for 8s`. */
const SPINNER = /^\S \p{L}[^…]*…/u;
const CHOICE = /^\s*❯ (\d+\. |No, |Yes\b)/;
const WAY_OUT = /\besc to (cancel|exit|close|go back)\b/i;
/** What the entries of the conversation begin with, and their results. */
const ENTRY = /^(●|❯| {2}⎿) /;
const FAILURES: FailureWords = [
  ['signed_out', /^(●(Pleaserun\/login·APIError:401|InvalidAPIkey·)|⎿Notloggedin·)/],
  ['context_full', /^⎿Contextlimitreached·/],
  ['interrupted', /^⎿Interrupted·/],
];
const SUSPENDED = /\bClaude Code (has been|is) suspended\b/;
/** What it may ask before its first session, below a line across the screen. */
const FIRST_QUESTIONS = [
  ['trust question', /\btrust this folder\b|\bAccessing workspace\b/i],
  ['sign-in', /\bDo you want to use this API key\?|\bSelect login method:/],
  ['permission mode', /\bWARNING: Claude Code running in Bypass Permissions mode\b/],
  ['MCP servers', /\bnew MCP servers? found in this project\b/i],
] as const;
const SETUP = /\bLet's get started\.\s+Choose the text style\b/;

/**
 * Claude Code draws its composer between two lines across the screen, with the prompt sign at its left. A dialog takes
 * the place of the composer.
 */
export const claudeScreen: ScreenReader = {
  read(view) {
    const composer = findComposer(view);
    if (composer !== undefined) {
      // The line below is drawn last.
      const isDrawn = view.lines.slice(composer.bottom + 1).some((line) => line.text !== '');
      return isDrawn ? readComposer(view, composer) : { state: 'starting' };
    }
    const text = textOf(view.lines);
    if (!view.alternate && SUSPENDED.test(text)) return { state: 'suspended' };
    if (SETUP.test(text)) return { state: 'starting', question: 'first-run setup' };
    if (!WAY_OUT.test(text)) return { state: 'unknown' };
    const asked = textOf(
      view.lines.slice(view.lines.findLastIndex((line) => isRule(line.text, view.columns)) + 1),
    );
    const [question] = FIRST_QUESTIONS.find(([, asks]) => asks.test(asked)) ?? [];
    if (question) return { state: 'starting', question };
    return view.lines.some((line) => line.text.startsWith('▔▔')) ? { state: 'menu' } : { state: 'dialog' };
  },
  isPasted: (draft, text) => /^\[Pasted text #\d+( \+\d+ lines)?\]$/.test(draft) || showsEndOf(draft, text),
};

const textOf = (lines: readonly ScreenLine[]): string => lines.map(({ text }) => text).join('\n');

interface Composer {
  top: number;
  bottom: number;
}

/** The rows between the last two lines across the screen, if the prompt and the cursor, which it hides, are there. */
function findComposer({ lines, columns, cursor, bracketedPaste }: ScreenView): Composer | undefined {
  const rules = lines.flatMap(({ text }, row) => (isRule(text, columns) ? [row] : []));
  const [top = -1, bottom = -1] = rules.slice(-2);
  if (rules.length < 2 || bottom - top < 2 || !bracketedPaste) return undefined;
  if (cursor.row <= top || cursor.row >= bottom) return undefined;
  const first = lines[top + 1]?.text ?? '';
  if (first !== PROMPT && !first.startsWith(`${PROMPT} `) && !first.startsWith(`${PROMPT}\u00a0`))
    return undefined;
  // Questions are drawn between two lines, too.
  const shown = lines.slice(top).map(({ text }) => text);
  return shown.some((text) => CHOICE.test(text) || WAY_OUT.test(text)) ? undefined : { top, bottom };
}

const isRule = (text: string, columns: number): boolean =>
  text.length >= columns - 1 && text.startsWith('────') && text.endsWith('──');

function readComposer({ lines, cursor }: ScreenView, { top, bottom }: Composer): Reading {
  const rows = lines.slice(top + 1, bottom);
  const [first] = rows;
  // Typed text moves the cursor, whatever it looks like.
  const atStart = cursor.row === top + 1 && cursor.column === 2;
  const isEmpty = atStart && rows.length === 1 && first !== undefined && isSuggestion(first);
  const draft = isEmpty
    ? ''
    : rows
        .map(({ text }) => text.slice(2))
        .join('\n')
        .trim();
  const busy =
    // The prompt sign is grey during a turn.
    first?.looks[0] !== '.' ||
    lines.slice(Math.max(0, top - 8), top).some(({ text }) => SPINNER.test(text)) ||
    lines.slice(bottom).some(({ text }) => /\besc to interrupt\b/.test(text));
  const last = lines.slice(0, top).findLastIndex(({ text }) => ENTRY.test(text));
  const failure = failureIn(paragraphAt(lines, last), FAILURES);
  return {
    state: 'composer',
    draft: draft === '' && !atStart ? ' ' : draft,
    busy,
    ...(failure && { failure }),
  };
}

/** A suggestion is dim, and the cursor is before it. */
const isSuggestion = ({ looks }: ScreenLine): boolean => /^[id]d*$/.test(looks.slice(2));
