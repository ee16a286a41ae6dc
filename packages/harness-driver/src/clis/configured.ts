import type { CliAdapter, Reading, ScreenReader } from './adapter.ts';
import { showsEndOf } from './pasted.ts';
import type { Resumption } from './resumption.ts';

/** A CLI that the user described in the settings of the daemon. */
export interface ConfiguredCli {
  command: readonly string[];
  model?: readonly string[] | undefined;
  /** The options that start and resume a conversation, with `{session}` for its id. */
  conversation?: { begin: readonly string[]; resume: readonly string[] } | undefined;
  screen?: ScreenPatterns | undefined;
}

/** Regular expressions for what is on its screen. */
export interface ScreenPatterns {
  /** The prompt of its composer: what follows it, up to the cursor, is the draft. */
  composer: string;
  busy?: string | undefined;
  dialog?: string | undefined;
  starting?: string | undefined;
}

/** Gets only its identity for the run; its screen is read with the user's patterns. */
export const configuredCli = (word: string, { screen, conversation }: ConfiguredCli): CliAdapter => ({
  word,
  configure: async () => ({ args: [], env: {} }),
  ...(conversation && { resumption: resumptionBy(conversation) }),
  ...(screen && { screen: patternScreen(screen) }),
});

const resumptionBy = ({ begin, resume }: NonNullable<ConfiguredCli['conversation']>): Resumption => {
  const withId = (words: readonly string[], id: string) =>
    words.map((word) => word.replaceAll('{session}', id));
  return {
    // It is unknown which of its options take values, so all words are passed again.
    options: { valued: [], once: [], keepsWords: true },
    begin: (id) => withId(begin, id),
    resume: (id) => withId(resume, id),
  };
};

/** Dialogs come first: if such a pattern matches, nothing is typed. */
export function patternScreen({ composer, busy, dialog, starting }: ScreenPatterns): ScreenReader {
  const pattern = (source: string | undefined) =>
    source === undefined ? undefined : new RegExp(source, 'u');
  const [prompt, working, asking, beginning] = [composer, busy, dialog, starting].map(pattern);
  return {
    read({ lines, cursor }): Reading {
      const text = lines.map((line) => line.text).join('\n');
      const question = beginning?.exec(text)?.[0];
      if (question !== undefined) return { state: 'starting', question: question.trim().slice(0, 80) };
      if (asking?.test(text)) return { state: 'dialog' };
      const rows = lines
        .slice(0, cursor.row + 1)
        // Blanks at the end of a line are not in its text, but those before the cursor are part of the prompt.
        .map((line, row) => (row === cursor.row ? line.text.padEnd(cursor.column) : line.text));
      const draft = draftIn(rows, prompt);
      if (draft !== undefined) return { state: 'composer', draft, busy: working?.test(text) ?? false };
      return working?.test(text) ? { state: 'composer', draft: '', busy: true } : { state: 'unknown' };
    },
    isPasted: showsEndOf,
  };
}

/** The text from the nearest prompt to the end of the rows. */
function draftIn(rows: readonly string[], prompt: RegExp | undefined): string | undefined {
  for (let first = rows.length - 1; first >= 0; first--) {
    const match = prompt?.exec(rows[first] ?? '');
    if (!match) continue;
    const rest = (rows[first] ?? '').slice(match.index + match[0].length);
    return [rest, ...rows.slice(first + 1)].join('\n').trim();
  }
  return undefined;
}
