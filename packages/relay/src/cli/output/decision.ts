import { clearLine, createInterface, type Interface, moveCursor } from 'node:readline';
import { rowsOf } from '@agent-relay/platform';
import { indentOf } from '@agent-relay/protocol';
import { columns, print } from './terminal.ts';

/** Whether a person can read something here and answer. */
export const isConversation = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** Shows a text that a person decides about, all of it, page by page if it is long; then asks. Only a yes is one. */
export async function asksPerson(text: string, question: string): Promise<boolean> {
  const editor = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (
      (await showsAll(editor, shownWhole(text))) && /^y(es)?$/i.test(await ask(editor, `${question} [y/N] `))
    );
  } finally {
    editor.close();
  }
}

/**
 * A text as `wholeText` writes it, for the screen: nothing is cut, and where a line goes on in the next row that begins further
 * to the right than any line of ours.
 */
export function shownWhole(text: string, margin = ''): string {
  const width = Math.max(columns() - margin.length, 20);
  return text
    .split('\n')
    .flatMap((line) => (width === Number.POSITIVE_INFINITY ? [line] : rowsOf(line, width, indentOf(line))))
    .map((row) => margin + row)
    .join('\n');
}

/** False if the person does not want to see all of it. */
async function showsAll(editor: Interface, text: string): Promise<boolean> {
  const rows = text.split('\n');
  let shown = 0;
  while (true) {
    // The last row is for the question.
    const page = rows.slice(shown, shown + Math.max((process.stdout.rows || 24) - 1, 2));
    print(page.join('\n'));
    shown += page.length;
    if (shown >= rows.length) return true;
    const wish = await ask(editor, `${shown} of ${rows.length} rows. Enter: more, q: stop `);
    if (wish.startsWith('q') || wish === ENDED) return false;
    moveCursor(process.stdout, 0, -1);
    clearLine(process.stdout, 0);
  }
}

/** The person pressed Ctrl-C or Ctrl-D. */
const ENDED = '\u0004';

function ask(editor: Interface, question: string): Promise<string> {
  return new Promise((resolve) => {
    const onEnd = () => {
      print();
      resolve(ENDED);
    };
    editor.once('close', onEnd);
    editor.question(question, (answer) => {
      editor.off('close', onEnd);
      resolve(answer.trim());
    });
  });
}
