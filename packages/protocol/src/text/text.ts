/**
 * Text from a peer, made safe to show in a terminal, a log or a prompt.
 *
 * Line ends of every kind become LF; LF, TAB and printable characters stay; everything else (controls, formatting and
 * direction marks, invisible letters and marks, lone surrogates, private and unassigned code points) becomes U+FFFD,
 * one for one: a person sees that there is something a model reads. Nothing is deleted: deleting could join the pieces around it into a sequence that was not there before.
 */
export const safeText = (text: string): string => text.replace(LINE_END, '\n').replace(UNSAFE, REPLACEMENT);

/** The same for a field that must stay on one line, such as a name or a cell of a table. */
export const safeLine = (text: string): string => safeText(text).replace(/[\n\t]+/g, ' ');

/**
 * The same for a text shown among our own lines. Its first line is placed by the caller; each further one is
 * marked, so that none can pass for one of ours.
 */
export const quotedText = (text: string): string => safeText(text).replaceAll('\n', '\n> ');

/** Data with every text made safe to show, including field names. */
export function safeData<T>(value: T): T;
export function safeData(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value)) return value.map((item) => safeData(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [safeLine(name), safeData(item)]));
}

/** The same for JSON, which keeps its value: the characters are written as escapes. */
export const safeJson = (json: string): string => json.replace(LINE_END, escaped).replace(UNSAFE, escaped);

const escaped = (text: string): string =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

const REPLACEMENT = '\u{FFFD}';
const LINE_END = /\r\n|[\r\u0085\u2028\u2029]/g;

/** The zero-width joiners are spelling in many scripts and in emoji, but only between two such characters. */
const JOINER = String.raw`[\u200C\u200D](?:(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}].)|(?![\p{L}\p{Extended_Pictographic}]))`;
/** A variation selector chooses a shape of the character before it; elsewhere, a row of them is a hidden text. */
const SELECTOR = String.raw`[\uFE0E\uFE0F](?<!\p{Emoji}.)|[\uFE00-\uFE0D\u{E0100}-\u{E01EF}](?<![\p{Script=Han}\p{Sm}].)|[\u180B-\u180D\u180F](?<!\p{Script=Mongolian}.)`;
const INVISIBLE = String.raw`[[\p{C}\u034F\u115F\u1160\u17B4\u17B5\u3164\uFFA0]--[\n\t\u200C\u200D]]`;

/** Each begins with the character it is about: one look is enough for all others. */
const UNSAFE = new RegExp([JOINER, SELECTOR, INVISIBLE].join('|'), 'gv');
