import { type Command, isCommand, parseCommand } from './command.ts';

/** The same as the body of a stored message. */
const MOST_BYTES = 64 * 1024;
/** Opens a body of several lines. */
const OPEN = /(?:^|\s)<<<(?=\s|$)/;
/** Ends it, at the end of a line: Markdown would remove `>>>` alone on a line. */
const CLOSE = />>>$/;
/** Markdown may draw it as a part of a list. */
const END = /^\s*->end$/;

/** Finds commands at the start of lines. A body is the rest of the line, or several lines between marks. */
export class CommandReader {
  #open: { head: string; lines: string[]; bytes: number } | undefined;

  /** Returns the command that this line completes. */
  take(line: string): Command | undefined {
    const text = line.trimEnd();
    if (this.#open) return this.#continue(this.#open, text);
    if (!isCommand(text)) return undefined;
    const mark = OPEN.exec(text);
    if (!mark) return withinBounds(text) ? parseCommand(text) : tooLong(text);
    this.#open = { head: text.slice(0, mark.index), lines: [], bytes: 0 };
    const rest = text.slice(mark.index + mark[0].length).trimStart();
    return rest === '' ? undefined : this.#continue(this.#open, rest);
  }

  /** No more lines follow; an open command is an error. */
  end(): Command | undefined {
    const open = this.#open;
    this.#open = undefined;
    return open && mistake(open.head, 'The text has no end mark.', 'End it with a line ->end');
  }

  /** Lines were lost: their content is unknown. */
  forget(): void {
    this.#open = undefined;
  }

  #continue(open: { head: string; lines: string[]; bytes: number }, line: string): Command | undefined {
    const isEnd = END.test(line);
    const isClosed = isEnd || CLOSE.test(line);
    const words = isEnd ? '' : isClosed ? line.slice(0, -3).trimEnd() : line;
    open.bytes += Buffer.byteLength(words) + 1;
    if (open.bytes > MOST_BYTES) {
      this.#open = undefined;
      return tooLong(open.head);
    }
    if (!(isClosed && words === '')) open.lines.push(words);
    if (!isClosed) return undefined;
    this.#open = undefined;
    return parseCommand(`${open.head} ${open.lines.join('\n').trim()}`);
  }
}

const withinBounds = (text: string): boolean => Buffer.byteLength(text) <= MOST_BYTES;

const tooLong = (text: string): Command =>
  mistake(text, `It is longer than ${MOST_BYTES} bytes.`, 'Send it in parts, or as a file.');

const mistake = (line: string, problem: string, next: string): Command => ({
  kind: 'mistake',
  line: line.trim().slice(0, 80),
  problem,
  next,
});
