import type { ScreenLine, ScreenView } from '../../screen/view.ts';
import type { Reading, ScreenReader } from '../adapter.ts';
import { showsEndOf } from '../pasted.ts';
import { type FailureWords, failureIn, paragraphAt } from '../turn-failure.ts';

const WAY_OUT = /\b(press enter to|enter select|enter to submit|esc (to )?(cancel|back|close|go back))\b/i;
/** What it may ask before its first session; the same words may be in a conversation. */
const FIRST_QUESTIONS = [
  ['trust question', /\bTrust this folder\?[\s\S]*\benter continue\b/],
  [
    'sign-in',
    /\b(Choose how you want to use Codex|Finish signing in|Paste or type your API key|Enter this one-time code)\b/,
  ],
  ['update', /\bUpdate available\b[\s\S]*\benter continue\b/],
  ['hook review', /\bHooks need review\b[\s\S]*\benter confirm\b/],
] as const;
/** How it tells of a turn that failed; any other entry after it, and it is the past. */
const FAILURES: FailureWords = [
  ['usage_limit', /^■.*(hityourusagelimit|laststatus:429)/],
  ['signed_out', /^■(.*status401|Missingenvironmentvariable:)/],
  ['context_full', /^■.*(contextwindow|context_length_exceeded)/],
  ['interrupted', /^■Conversationinterrupted/],
];
const MENU = /\b(enter select|esc close)\b/;

/**
 * Codex draws its composer near the bottom: a bold prompt sign, then the draft, or a dim suggestion. Chosen lines of menus
 * and dialogs have the same sign, but are drawn inverse, and say below how to leave.
 */
export const codexScreen: ScreenReader = {
  read(view) {
    const { lines, cursor, bracketedPaste } = view;
    const all = lines.map(({ text }) => text).join('\n');
    const [question] = FIRST_QUESTIONS.find(([, asks]) => asks.test(all)) ?? [];
    if (question && !lines.some(isEntry)) return { state: 'starting', question };
    const footer = lines.slice(cursor.row + 1).map(({ text }) => text);
    const ways = footer.filter((text) => WAY_OUT.test(text));
    if (ways.length > 0) return { state: ways.some((text) => MENU.test(text)) ? 'menu' : 'dialog' };
    // A dialog that puts the cursor elsewhere.
    if (WAY_OUT.test(all) && !isPrompt(lines[cursor.row]))
      return { state: MENU.test(all) ? 'menu' : 'dialog' };
    if (!bracketedPaste || !cursor.visible || cursor.column < 2) return { state: 'unknown' };
    const top = lines.findLastIndex((line, row) => row <= cursor.row && isPrompt(line));
    if (top < 0 || cursor.row > endOfDraft(lines, top)) return readLongDraft(view);
    // Before it names the model and the directory there, it has no session yet, and Enter does nothing.
    const hasSession = footer.some((text) => text.includes(' · ')) || isScrolled(lines[top]);
    return hasSession ? readComposer(view, top) : { state: 'starting' };
  },
  isPasted: (draft, text) => /^\[Pasted Content \d+ chars\]$/.test(draft) || showsEndOf(draft, text),
};

const isPrompt = (line: ScreenLine | undefined): boolean =>
  line !== undefined && /^›( |$)/.test(line.text) && line.looks[0] === 'b';

/** Of the conversation, or the composer: there is a session. */
const isEntry = (line: ScreenLine): boolean => isPrompt(line) || /^[•■] /.test(line.text);

/** A sign at the right says that the draft begins above. Since 0.169.0, such a draft hides what else is below. */
const isScrolled = (line: ScreenLine | undefined): boolean =>
  line?.text.endsWith(' ↑') === true && line.looks.endsWith('d');

/** A long draft scrolls its prompt sign out of view. It is certainly not empty. */
function readLongDraft({ lines, cursor }: ScreenView): Reading {
  const above = lines.slice(0, cursor.row + 1).findLastIndex(({ text }) => !text.startsWith('  '));
  const rows = lines.slice(above + 1, cursor.row + 1);
  const hasPrompt = lines.some(isPrompt);
  if (hasPrompt || rows.length < 3) return { state: 'unknown' };
  return { state: 'composer', draft: textOf(rows), busy: false };
}

const textOf = (rows: readonly ScreenLine[]): string =>
  rows
    .map(({ text }) => text.slice(2))
    .join('\n')
    .trim();

/** The draft ends where an empty line follows; below that is the footer. */
function endOfDraft(lines: readonly ScreenLine[], top: number): number {
  const next = lines.findIndex(({ text }, row) => row > top && text === '');
  return (next < 0 ? lines.length : next) - 1;
}

function readComposer({ lines, cursor }: ScreenView, top: number): Reading {
  const rows = lines.slice(top, endOfDraft(lines, top) + 1);
  const isSuggestion =
    rows.length === 1 && !/[^d.]/.test(rows[0]?.looks.slice(2) ?? '') && startsDim(rows[0]);
  const draft = isSuggestion ? '' : textOf(rows);
  const moved = cursor.row !== top || cursor.column !== 2;
  const above = lines.slice(Math.max(0, top - 8), top);
  const busy = above.some(({ text }) => /\besc to interrupt\b/.test(text));
  const failure = failureIn(lastEntry(lines.slice(0, top)), FAILURES);
  return {
    state: 'composer',
    draft: draft === '' && moved ? ' ' : draft,
    busy,
    ...(failure && { failure }),
  };
}

/** Each entry of the conversation begins with a sign at the left edge, and long lines of a failure go on there. */
function lastEntry(lines: readonly ScreenLine[]): ScreenLine[] {
  const isFirst = (row: number) => /^\S/.test(lines[row]?.text ?? '') && (lines[row - 1]?.text ?? '') === '';
  return paragraphAt(
    lines,
    lines.findLastIndex((_line, row) => isFirst(row)),
  );
}

const startsDim = (line: ScreenLine | undefined): boolean => line?.looks[2] === 'd';
