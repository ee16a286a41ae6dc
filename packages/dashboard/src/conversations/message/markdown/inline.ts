import type { Inline } from './tree.ts';

/** How many marks can be open at a time; the oldest one is text then. This bounds the time, and how deep the page gets. */
const MOST_OPEN = 8;

const TOKEN =
  /\\(?<escaped>[!-/:-@[-`{-~])|(?<ticks>`+)|(?<run>\*+|_+|~+)|(?<bracket>!?\[)|(?<end>\])|<(?<address>(?:https?:\/\/|mailto:)[^\s<>]*)>|(?<![\p{L}\p{N}_/])(?<url>https?:\/\/[^\s<>[\]`"|]+)/giu;

/** `(address "title")` after the text of a link. Each part has a limit, and so has the time to find none. */
const DESTINATION =
  /\([ \t\n]{0,3}(?:<(?<quoted>[^<>\n]{0,2000})>|(?<bare>[^\s()<>]{0,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500}){0,4}))(?:[ \t\n]{1,3}(?:"[^"]{0,500}"|'[^']{0,500}'))?[ \t\n]{0,3}\)/y;

/** What the page links to; anything else stays as it is written. */
const ADDRESS = /^(?:https?:\/\/[^/]|mailto:.)/i;

const SPACE = /^\s?$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const AFTER_ADDRESS = new Set('?!.,:;*_~\'")');

interface Open {
  mark: string;
  /** How many characters of the mark are not used yet. */
  left: number;
  canClose: boolean;
  content: Inline[];
}

/** Reads the marks within a paragraph: emphasis, code, links. Takes time in proportion to its length. */
export const readInline = (text: string): Inline[] => new InlineReader(text).read();

class InlineReader {
  readonly #text: string;
  /** The paragraph itself and the marks that are open in it. */
  readonly #open: Open[] = [{ mark: '', left: 0, canClose: false, content: [] }];
  /** Where runs of backticks of each length are. */
  readonly #ticks = new Map<number, number[]>();

  constructor(text: string) {
    this.#text = text;
  }

  read(): Inline[] {
    const text = this.#text;
    for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
      const places = this.#ticks.get(run.length);
      if (places) places.push(index);
      else this.#ticks.set(run.length, [index]);
    }
    const token = new RegExp(TOKEN);
    let at = 0;
    for (let found = token.exec(text); found; found = token.exec(text)) {
      this.#add(text.slice(at, found.index));
      at = this.#take(found.groups ?? {}, found[0], found.index);
      token.lastIndex = at;
    }
    this.#add(text.slice(at));
    while (this.#open.length > 1) this.#undo(this.#open.length - 1);
    return this.#open[0]?.content ?? [];
  }

  /** Takes what was found; returns where it ends. */
  #take(groups: Record<string, string | undefined>, whole: string, index: number): number {
    const end = index + whole.length;
    const { escaped, ticks, run, bracket, address, url } = groups;
    if (escaped !== undefined) this.#add(escaped);
    else if (ticks !== undefined) return this.#code(ticks, end);
    else if (run !== undefined && (whole.charAt(0) !== '~' || run.length === 2)) this.#emphasis(run, index);
    else if (run !== undefined) this.#add(run);
    else if (bracket !== undefined) this.#push(bracket, false);
    else if (groups.end !== undefined) return this.#link(end);
    else if (address !== undefined) this.#add({ kind: 'link', href: address, content: [address] });
    else if (url !== undefined) {
      const href = withoutPunctuation(url);
      this.#add(ADDRESS.test(href) ? { kind: 'link', href, content: [href] } : href);
      return index + href.length;
    }
    return end;
  }

  /** Joins texts, so that a name in them stays in one piece. */
  #add(node: Inline): void {
    append(this.#open.at(-1)?.content ?? [], node);
  }

  #push(mark: string, canClose: boolean): void {
    if (this.#open.length > MOST_OPEN) this.#undo(1);
    this.#open.push({ mark, left: mark.length, canClose, content: [] });
  }

  /** A mark that nothing closes is text. */
  #undo(position: number): void {
    const [undone] = this.#open.splice(position, 1);
    const around = this.#open[position - 1]?.content;
    if (!undone || !around) return;
    append(around, undone.mark.slice(0, undone.left));
    for (const node of undone.content) append(around, node);
  }

  #code(ticks: string, end: number): number {
    const places = this.#ticks.get(ticks.length) ?? [];
    while ((places.at(-1) ?? Number.POSITIVE_INFINITY) < end) places.pop();
    const close = places.at(-1);
    if (close === undefined) {
      this.#add(ticks);
      return end;
    }
    const text = this.#text.slice(end, close).replaceAll('\n', ' ');
    const isPadded = text.startsWith(' ') && text.endsWith(' ') && text.trim() !== '';
    this.#add({ kind: 'code', text: isPadded ? text.slice(1, -1) : text });
    return close + ticks.length;
  }

  /** As CommonMark decides it, from the characters on both sides. */
  #emphasis(run: string, index: number): void {
    const sign = run.charAt(0);
    const before = this.#text.charAt(index - 1);
    const after = this.#text.charAt(index + run.length);
    const isLeft =
      !SPACE.test(after) && (!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
    const isRight =
      !SPACE.test(before) && (!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
    const isWord = sign === '_';
    const canOpen = isLeft && (!isWord || !isRight || PUNCTUATION.test(before));
    const canClose = isRight && (!isWord || !isLeft || PUNCTUATION.test(after));
    const left = canClose ? this.#close(sign, run.length, canOpen) : run.length;
    if (left === 0) return;
    if (canOpen) this.#push(sign.repeat(left), canClose);
    else this.#add(sign.repeat(left));
  }

  /** Closes what is open with this sign; returns how much of the run is left. */
  #close(sign: string, length: number, canOpen: boolean): number {
    let left = length;
    while (left > 0) {
      const position = this.#open.findLastIndex(({ mark }) => mark.startsWith(sign) || mark.endsWith('['));
      const opened = this.#open[position];
      if (!opened?.mark.startsWith(sign)) break;
      const sum = opened.mark.length + length;
      const isOdd = sum % 3 === 0 && (opened.mark.length % 3 !== 0 || length % 3 !== 0);
      if (isOdd && (canOpen || opened.canClose)) break;
      while (this.#open.length - 1 > position) this.#undo(this.#open.length - 1);
      const used = Math.min(2, left, opened.left);
      const kind = sign === '~' ? 'del' : used === 2 ? 'strong' : 'em';
      const node: Inline = { kind, content: opened.content };
      left -= used;
      opened.left -= used;
      if (opened.left > 0) opened.content = [node];
      else {
        this.#open.pop();
        this.#add(node);
      }
    }
    return left;
  }

  #link(end: number): number {
    const position = this.#open.findLastIndex(({ mark }) => mark.endsWith('['));
    DESTINATION.lastIndex = end;
    const found = position === -1 ? null : DESTINATION.exec(this.#text);
    while (position !== -1 && this.#open.length - 1 > position) this.#undo(this.#open.length - 1);
    const content = this.#open[position]?.content ?? [];
    const { quoted, bare = '' } = found?.groups ?? {};
    const href = quoted ?? bare;
    if (!found || !ADDRESS.test(href) || content.some(hasRest)) {
      if (position !== -1) this.#undo(position);
      this.#add(']');
      return end;
    }
    this.#open.pop();
    const words = withoutLinks(content);
    const rest = found[0];
    if (words.length === 0) this.#add({ kind: 'link', href, content: [rest.slice(1, -1)] });
    else this.#add({ kind: 'link', href, content: words, ...(isAddress(words, rest) ? {} : { rest }) });
    return end + rest.length;
  }
}

function append(content: Inline[], node: Inline): void {
  const last = content.at(-1);
  if (node === '') return;
  if (typeof node === 'string' && typeof last === 'string') content[content.length - 1] = last + node;
  else content.push(node);
}

/** Whether the text of a link is all there is to its address. */
const isAddress = (words: Inline[], rest: string): boolean =>
  words.length === 1 && typeof words[0] === 'string' && rest === `(${words[0]})`;

/** Whether there is a link in it whose address is written beside it: links cannot be in links. */
const hasRest = (node: Inline): boolean =>
  typeof node !== 'string' &&
  ((node.kind === 'link' && node.rest !== undefined) || ('content' in node && node.content.some(hasRest)));

/** Addresses that are only written are text within a link. */
function withoutLinks(content: Inline[]): Inline[] {
  const words: Inline[] = [];
  for (const node of content) {
    if (typeof node === 'string' || node.kind === 'code') append(words, node);
    else if (node.kind === 'link') for (const word of withoutLinks(node.content)) append(words, word);
    else words.push({ ...node, content: withoutLinks(node.content) });
  }
  return words;
}

/** The address without the end of the sentence it is in. */
function withoutPunctuation(url: string): string {
  let open = 0;
  for (const letter of url) open += letter === '(' ? 1 : letter === ')' ? -1 : 0;
  let end = url.length;
  while (AFTER_ADDRESS.has(url.charAt(end - 1))) {
    if (url.charAt(end - 1) === ')' && open++ >= 0) break;
    end--;
  }
  return url.slice(0, end);
}
