import { align, type Pair } from './alignment.ts';
import type { SpokenLine } from './unwrap.ts';

/** So many lines are remembered: more than anybody scrolls back while an agent works. */
const MOST_LINES = 2000;
/** A line counts that was seen for so long: some CLIs draw the next ones before all of it is there. */
const STEADY_MS = 250;
/** So many lines at the end may look different when they are drawn again. */
const MOST_CHANGED = 3;

interface Look {
  now: number;
  /** The last line is complete: nothing is being written any more. */
  isComplete: boolean;
  /** When the turn began that is not over yet. */
  turnSince: number | undefined;
}

interface Entry {
  line: SpokenLine;
  key: string;
  /** Since when it has been seen. */
  since: number;
}

/**
 * Everything said in a conversation, put together from screens that show a part of it: scrolled, drawn again in another
 * width, or with something over them. Each line is told once.
 */
export class Transcript {
  readonly #entries: Entry[] = [];
  /** So many of them are told. The others may still change. */
  #told = 0;

  /** Whether there is something that has not been seen for long enough. */
  get isWaiting(): boolean {
    return this.#told < this.#entries.length;
  }

  /** Takes what is on the screen now, and returns the lines that are new. */
  take(lines: readonly SpokenLine[], { now, isComplete, turnSince = now }: Look): SpokenLine[] {
    const said = lines.filter(isSaid);
    const last = this.#entries.at(-1);
    // Who has begun to answer goes on, though the screen shows nothing of what was seen before.
    const missed = last && last.since > turnSince ? last.line.speaker : 'unknown';
    const top = this.#add(isComplete ? said : said.slice(0, -1), now, missed);
    const end = this.#entries.findIndex(
      // What has left the screen cannot change any more.
      ({ since }, index) => index >= this.#told && index >= top && now - since < STEADY_MS,
    );
    return this.#tell(end < 0 ? this.#entries.length : end);
  }

  /** Takes what is on the screen as known. */
  know(lines: readonly SpokenLine[]): void {
    this.#add(lines.filter(isSaid), 0, 'unknown');
    this.#tell(this.#entries.length);
  }

  /** Whether a prompt follows right after what is known. */
  hasNewPrompt(lines: readonly SpokenLine[]): boolean {
    const said = lines.filter(isSaid);
    const last = this.#match(said).at(-1);
    return last?.known === this.#entries.length - 1 && said[last.seen + 1]?.speaker === 'person';
  }

  #tell(end: number): SpokenLine[] {
    const told = this.#entries.slice(this.#told, end).map(({ line }) => line);
    const surplus = Math.max(0, this.#entries.length - MOST_LINES);
    this.#entries.splice(0, Math.min(surplus, end));
    this.#told = end - Math.min(surplus, end);
    return told;
  }

  /**
   * Adds what is seen after what is known, and in place of what was seen and not told. Returns the first entry that is
   * on the screen. `missed`: who wrote what is at its top, if nothing on it is known.
   */
  #add(said: readonly SpokenLine[], now: number, missed: SpokenLine['speaker']): number {
    const pairs = this.#match(said);
    const first = pairs[0] ?? { known: this.#entries.length, seen: -1 };
    const last = pairs.at(-1) ?? { known: this.#entries.length - 1, seen: -1 };
    // It was scrolled back: below is more that is known.
    if (pairs.length > 0 && this.#told - 1 - last.known > MOST_CHANGED) return this.#told;
    const before = this.#entries[last.known]?.line.speaker ?? 'unknown';
    let speaker = pairs.length > 0 ? before : missed;
    const entryOf = (line: SpokenLine): Entry => {
      if (line.speaker !== 'unknown') speaker = line.speaker;
      return { line: { ...line, speaker }, key: keyOf(line.text), since: now };
    };
    const added = said.slice(last.seen + 1).map(entryOf);
    this.#entries.splice(Math.max(last.known + 1, this.#told), this.#entries.length, ...added);
    this.#replaceBetween(pairs, said, now);
    return first.known;
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

  /** Between lines that are the same, what was not told yet is as it is seen now. */
  #replaceBetween(pairs: readonly Pair[], said: readonly SpokenLine[], now: number): void {
    for (let index = pairs.length - 1; index > 0; index--) {
      const [from, to] = [pairs[index - 1], pairs[index]];
      const start = Math.max((from?.known ?? 0) + 1, this.#told);
      const end = to?.known ?? 0;
      // Nothing was there, and it may have been told already.
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

  /** The first line on the screen may be the end of one. */
  #findCut(seen: string[]): void {
    const [first = ''] = seen;
    if (first === '' || this.#entries.some(({ key }) => key === first)) return;
    const whole = this.#entries.findLast(({ key }) => key.endsWith(first));
    if (whole) seen[0] = whole.key;
  }

  /** The last line that was told had seemed to be complete. */
  #findGrown(seen: readonly string[]): void {
    const last = this.#entries[this.#told - 1];
    if (last === undefined || seen.includes(last.key)) return;
    const whole = seen.findLast((key) => key.startsWith(last.key));
    if (whole !== undefined) last.key = whole;
  }
}

/** What tools show changes while it is looked at. */
export const isSaid = ({ speaker, text }: SpokenLine): boolean => speaker !== 'other' && keyOf(text) !== '';

/** What stays the same however a line is broken, coloured and marked. */
const keyOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');
