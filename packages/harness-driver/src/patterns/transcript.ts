import { align, type Pair } from './alignment.ts';
import type { SpokenLine } from './unwrap.ts';

/** How many lines are kept: more than anyone scrolls back while an agent works. */
const MOST_LINES = 2000;
/** A line counts after it was visible this long: some CLIs draw later lines before it is complete. */
const STEADY_MS = 250;
/** How many lines at the end may change when redrawn. */
const MOST_CHANGED = 3;

interface Look {
  now: number;
  /** The last line is complete: no more is being written. */
  isComplete: boolean;
  /** Start of the current turn. */
  turnSince: number | undefined;
}

interface Entry {
  line: SpokenLine;
  key: string;
  /** The key it was reported with, if it has grown since. */
  reported?: string;
  /** The time it was first seen. */
  since: number;
}

/**
 * A conversation, assembled from screens that show parts of it: scrolled, redrawn in another width, or covered by
 * something. Each line is reported once.
 */
export class Transcript {
  readonly #entries: Entry[] = [];
  /** How many were reported; the rest may still change. */
  #told = 0;

  /** Whether something was not visible for long enough yet. */
  get isWaiting(): boolean {
    return this.#told < this.#entries.length;
  }

  /** Takes the current screen and returns the new lines. */
  take(lines: readonly SpokenLine[], { now, isComplete, turnSince = now }: Look): SpokenLine[] {
    const said = lines.filter(isSaid);
    const last = this.#entries.at(-1);
    // A started answer continues, even if the screen shows nothing known.
    const missed = last && last.since > turnSince ? last.line.speaker : 'unknown';
    const top = this.#add(isComplete ? said : said.slice(0, -1), now, missed);
    const end = this.#entries.findIndex(
      // Lines that left the screen cannot change any more.
      ({ since }, index) => index >= this.#told && index >= top && now - since < STEADY_MS,
    );
    return this.#tell(end < 0 ? this.#entries.length : end);
  }

  /** Marks everything on the screen as known. */
  know(lines: readonly SpokenLine[]): void {
    this.#add(lines.filter(isSaid), 0, 'unknown');
    this.#tell(this.#entries.length);
  }

  /** Whether a prompt directly follows the known lines. */
  hasNewPrompt(lines: readonly SpokenLine[]): boolean {
    const said = lines.filter(isSaid);
    const last = this.#match(said).at(-1);
    // What was not reported may have been half drawn, and is gone.
    const isAtEnd = last !== undefined && last.known >= this.#told - 1;
    return isAtEnd && said[last.seen + 1]?.speaker === 'person';
  }

  #tell(end: number): SpokenLine[] {
    const told = this.#entries.slice(this.#told, end).map(({ line }) => line);
    const surplus = Math.max(0, this.#entries.length - MOST_LINES);
    this.#entries.splice(0, Math.min(surplus, end));
    this.#told = end - Math.min(surplus, end);
    return told;
  }

  /**
   * Adds new lines after the known ones, and replaces those not reported yet. Returns the first entry that is
   * on the screen. `missed`: who wrote its top lines if none of them is known.
   */
  #add(said: readonly SpokenLine[], now: number, missed: SpokenLine['speaker']): number {
    const pairs = this.#match(said);
    const first = pairs[0] ?? { known: this.#entries.length, seen: -1 };
    const last = pairs.at(-1) ?? { known: this.#entries.length - 1, seen: -1 };
    // Scrolled back: more known lines are below.
    if (pairs.length > 0 && this.#told - 1 - last.known > MOST_CHANGED) return this.#told;
    const before = this.#entries[last.known]?.line.speaker ?? 'unknown';
    let speaker = pairs.length > 0 ? before : missed;
    const entryOf = (line: SpokenLine): Entry => {
      if (line.speaker !== 'unknown') speaker = line.speaker;
      return { line: { ...line, speaker }, key: keyOf(line.text), since: now };
    };
    const added = said.slice(last.seen + 1).map(entryOf);
    this.#entries.splice(Math.max(last.known + 1, this.#told), this.#entries.length, ...added);
    this.#refresh(pairs, said, now);
    this.#replaceBetween(pairs, said, now);
    return first.known;
  }

  /** Lines that were not reported are as they are visible now: a CLI may draw the second line of an answer before its first. */
  #refresh(pairs: readonly Pair[], said: readonly SpokenLine[], now: number): void {
    for (const { known, seen } of pairs) {
      const [entry, line] = [this.#entries[known], said[seen]];
      if (known < this.#told || !entry || !line || keyOf(line.text) !== entry.key) continue;
      const speaker = line.speaker === 'unknown' ? entry.line.speaker : line.speaker;
      if (line.text === entry.line.text && speaker === entry.line.speaker) continue;
      entry.line = { ...line, speaker };
      entry.since = now;
    }
  }

  #match(said: readonly SpokenLine[]): Pair[] {
    const seen = said.map(({ text }) => keyOf(text));
    this.#findCut(seen);
    this.#findGrown(seen);
    return align(
      this.#entries.map(({ key }) => key),
      seen,
    );
  }

  /** Between matching lines, unreported ones are replaced by what is visible now. */
  #replaceBetween(pairs: readonly Pair[], said: readonly SpokenLine[], now: number): void {
    for (let index = pairs.length - 1; index > 0; index--) {
      const [from, to] = [pairs[index - 1], pairs[index]];
      const start = Math.max((from?.known ?? 0) + 1, this.#told);
      const end = to?.known ?? 0;
      // Nothing was there, or it may have been reported already.
      if (start > end || (from?.known ?? 0) + 1 < this.#told) continue;
      const speaker = this.#entries[from?.known ?? 0]?.line.speaker ?? 'unknown';
      const between = said.slice((from?.seen ?? 0) + 1, to?.seen).map((line) => ({
        line: line.speaker === 'unknown' ? { ...line, speaker } : line,
        key: keyOf(line.text),
        since: now,
      }));
      this.#entries.splice(start, end - start, ...between);
    }
  }

  /** The first line on the screen may be the tail of a line. */
  #findCut(seen: string[]): void {
    const [first = ''] = seen;
    if (first === '' || this.#entries.some(({ key }) => key === first)) return;
    const whole = this.#entries.findLast(({ key }) => key.endsWith(first));
    if (whole) seen[0] = whole.key;
  }

  /** The last reported line had only seemed complete, or is drawn longer for a moment. */
  #findGrown(seen: readonly string[]): void {
    const last = this.#entries[this.#told - 1];
    if (last === undefined) return;
    if (last.reported !== undefined && !seen.includes(last.key) && seen.includes(last.reported))
      last.key = last.reported;
    if (seen.includes(last.key)) return;
    const whole = seen.findLast((key) => key.startsWith(last.key));
    if (whole === undefined) return;
    last.reported ??= last.key;
    last.key = whole;
  }
}

/** Tool output changes while it is visible. */
export const isSaid = ({ speaker, text }: SpokenLine): boolean => speaker !== 'other' && keyOf(text) !== '';

/** A form of the line that is independent of wrapping, colours and markers. */
const keyOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');
