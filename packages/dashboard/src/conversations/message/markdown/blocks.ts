import { readInline } from './inline.ts';
import type { Align, Block, Item } from './tree.ts';

/** How deep quotes and lists are drawn within each other. Below that, their marks are text: a narrow screen has no room. */
const DEEPEST = 6;

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|(?:0|[1-9]\d{0,8})[.)])(?:([ \t]+)(\S.*)|[ \t]*)$/;
const INDENTED = /^(?: {4}|\t)/;
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** Reads a text as GitHub's Markdown, as far as it is drawn. A line belongs to a quote or an item only if it is marked so. */
export const readBlocks = (text: string): Block[] => readLines(text.split('\n'), 0);

function readLines(lines: string[], depth: number): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    if (isBlank(lines[at])) {
      at++;
      continue;
    }
    const { block, end } = readOne(lines, at, depth);
    blocks.push(block);
    at = end;
  }
  return blocks;
}

interface Read {
  block: Block;
  /** The line after it. */
  end: number;
}

function readOne(lines: string[], at: number, depth: number): Read {
  const line = lines[at] ?? '';
  const fence = fenceOf(line);
  if (fence) return readFence(lines, at, fence);
  const [, signs, title] = HEADING.exec(line) ?? [];
  if (signs !== undefined && title !== undefined)
    return { block: { kind: 'heading', level: signs.length, content: readInline(title) }, end: at + 1 };
  if (RULE.test(line)) return { block: { kind: 'rule' }, end: at + 1 };
  if (depth < DEEPEST && QUOTE.test(line)) {
    const end = endOf(lines, at, (one) => QUOTE.test(one));
    const inner = lines.slice(at, end).map((one) => one.replace(QUOTE, ''));
    return { block: { kind: 'quote', blocks: readLines(inner, depth + 1) }, end };
  }
  if (depth < DEEPEST && ITEM.test(line)) return readList(lines, at, depth);
  if (isTable(lines, at)) return readTable(lines, at);
  if (INDENTED.test(line)) {
    const end = endOf(lines, at, (one) => INDENTED.test(one));
    const text = lines.slice(at, end).map((one) => one.replace(INDENTED, ''));
    return { block: { kind: 'code', text: text.join('\n') }, end };
  }
  let end = at + 1;
  while (end < lines.length && !endsParagraph(lines, end, depth)) end++;
  const text = lines.slice(at, end).join('\n').trim();
  return { block: { kind: 'paragraph', content: readInline(text) }, end };
}

const isBlank = (line = ''): boolean => line.trim() === '';

function endOf(lines: string[], at: number, isPart: (line: string) => boolean): number {
  let end = at + 1;
  while (end < lines.length && isPart(lines[end] ?? '')) end++;
  return end;
}

function endsParagraph(lines: string[], at: number, depth: number): boolean {
  const line = lines[at] ?? '';
  if (isBlank(line) || fenceOf(line) || HEADING.test(line) || RULE.test(line) || isTable(lines, at))
    return true;
  if (depth === DEEPEST) return false;
  const [, , sign, , content] = ITEM.exec(line) ?? [];
  // A number at the start of a line is more often part of a sentence.
  return (
    QUOTE.test(line) ||
    (content !== undefined && (!/^\d/.test(sign ?? '') || Number.parseInt(sign ?? '', 10) === 1))
  );
}

function fenceOf(line: string): { marks: string; name: string } | undefined {
  const [, marks, name = ''] = FENCE.exec(line) ?? [];
  return marks === undefined || (marks.startsWith('`') && name.includes('`'))
    ? undefined
    : { marks, name: name.trim() };
}

function readFence(lines: string[], at: number, { marks, name }: { marks: string; name: string }): Read {
  const isEnd = (line: string) => {
    const close = fenceOf(line);
    return close?.name === '' && close.marks.startsWith(marks);
  };
  const end = endOf(lines, at, (line) => !isEnd(line));
  const text = lines.slice(at + 1, end).join('\n');
  return { block: { kind: 'code', text, ...(name === '' ? {} : { name }) }, end: end + 1 };
}

/** The kind of a list: its items have the same sign, or the same sign after their number. */
const kindOf = (sign: string): string => sign.slice(-1);

function readList(lines: string[], start: number, depth: number): Read {
  const items: Item[] = [];
  const [, , first = ''] = ITEM.exec(lines[start] ?? '') ?? [];
  const isOrdered = /\d/.test(first);
  let at = start;
  while (at < lines.length) {
    const [whole = '', indent = '', sign = '', space = ' ', content = ''] = ITEM.exec(lines[at] ?? '') ?? [];
    if (sign === '' || kindOf(sign) !== kindOf(first) || RULE.test(whole)) break;
    // Code may begin after the sign, indented.
    const width = indent.length + sign.length + (space.length > 4 ? 1 : space.length);
    const inner = [space.length > 4 ? `${space.slice(1)}${content}` : content];
    at++;
    for (; at < lines.length && (isBlank(lines[at]) || indentOf(lines[at]) >= indent.length + 2); at++)
      inner.push(unindented(lines[at] ?? '', width));
    // What follows a blank line within the item was taken above; otherwise only another item continues the list.
    const blocks = readLines(inner, depth + 1);
    items.push(isOrdered ? { number: Number.parseInt(sign, 10), blocks } : { blocks });
  }
  return { block: { kind: 'list', items, isOrdered }, end: at };
}

const indentOf = (line = ''): number => line.replaceAll('\t', '    ').search(/\S|$/);

function unindented(line: string, width: number): string {
  const spaced = line.replace(/^[ \t]+/, (space) => space.replaceAll('\t', '    '));
  return spaced.slice(Math.min(width, indentOf(spaced)));
}

const isTable = (lines: string[], at: number): boolean => {
  const [head = '', delimiters = ''] = lines.slice(at, at + 2);
  return (
    head.includes('|') &&
    delimiters.includes('-') &&
    DELIMITERS.test(delimiters) &&
    cellsOf(head).length === cellsOf(delimiters).length
  );
};

function readTable(lines: string[], at: number): Read {
  const end = endOf(lines, at + 1, (line) => line.includes('|'));
  const rows = [lines[at] ?? '', ...lines.slice(at + 2, end)].map((line) => cellsOf(line).map(readInline));
  const aligns = cellsOf(lines[at + 1] ?? '').map((cell): Align => {
    if (cell.endsWith(':')) return cell.startsWith(':') ? 'center' : 'right';
    return cell.startsWith(':') ? 'left' : undefined;
  });
  return { block: { kind: 'table', rows, aligns }, end };
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());
