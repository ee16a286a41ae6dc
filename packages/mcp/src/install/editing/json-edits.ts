import { createScanner, type Node } from 'jsonc-parser';

// Edits that touch only the lines of the property itself, and the comma next to it.

export function replaceValue(text: string, node: Node, value: unknown): string {
  return (
    text.slice(0, node.offset) + render(text, value, indentAt(text, node.offset)) + text.slice(endOf(node))
  );
}

/** Adds a property at the end of an object. */
export const insertProperty = (text: string, object: Node, key: string, value: unknown): string =>
  insert(text, object, value, (rendered) => `${JSON.stringify(key)}: ${rendered}`);

/** Adds an element at the end of a list. */
export const insertElement = (text: string, list: Node, value: unknown): string =>
  insert(text, list, value, (rendered) => rendered);

function insert(text: string, parent: Node, value: unknown, item: (rendered: string) => string): string {
  const last = parent.children?.at(-1);
  if (!last) return insertFirst(text, parent, value, item);
  const end = endOf(last);
  const comma = commaAfter(text, end);
  const lineEnd = endOfLine(text, comma ?? end);
  const standsAlone = startsItsLine(text, last) && lineEnd < endOf(parent) - 1;
  if (!standsAlone) return `${text.slice(0, end)}, ${item(JSON.stringify(value))}${text.slice(end)}`;
  const indent = indentAt(text, last.offset);
  return [
    text.slice(0, end),
    comma === undefined ? ',' : '',
    text.slice(end, lineEnd),
    eolOf(text) + indent + item(render(text, value, indent)),
    comma === undefined ? '' : ',',
    text.slice(lineEnd),
  ].join('');
}

function insertFirst(text: string, parent: Node, value: unknown, item: (rendered: string) => string): string {
  const close = endOf(parent) - 1;
  const outer = indentAt(text, parent.offset);
  const indent = outer + unitOf(text);
  const eol = eolOf(text);
  // It may contain comments.
  const before = text.slice(0, close).trimEnd();
  return `${before}${eol}${indent}${item(render(text, value, indent))}${eol}${outer}${text.slice(close)}`;
}

/** Removes a property of an object, or an element of a list. */
export function removeProperty(text: string, node: Node | undefined): string {
  const siblings = node?.parent?.children ?? [];
  if (!node) return text;
  const comma = commaAfter(text, endOf(node));
  const previous = siblings[siblings.indexOf(node) - 1];
  let [start, end] = [node.offset, comma === undefined ? endOf(node) : comma + 1];
  if (startsItsLine(text, node) && /^[ \t]*(\/\/.*)?\r?\n/.test(text.slice(end))) {
    start -= indentAt(text, node.offset).length;
    end = endOfLine(text, end) + eolOf(text).length;
  } else {
    while (text[start - 1] === ' ' || text[start - 1] === '\t') start--;
  }
  const without = text.slice(0, start) + text.slice(end);
  // The new last property has no trailing comma, unless the removed one had.
  const left = previous && comma === undefined ? commaAfter(text, endOf(previous)) : undefined;
  return left === undefined ? without : without.slice(0, left) + without.slice(left + 1);
}

const endOf = (node: Node) => node.offset + node.length;
const eolOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');
const unitOf = (text: string) => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';

const render = (text: string, value: unknown, indent: string) =>
  JSON.stringify(value, undefined, unitOf(text)).replaceAll('\n', eolOf(text) + indent);

const lineStart = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1;
const indentAt = (text: string, offset: number) =>
  /[ \t]*/y.exec(text.slice(lineStart(text, offset)))?.[0] ?? '';
const startsItsLine = (text: string, { offset }: Node) =>
  text.slice(lineStart(text, offset), offset).trim() === '';

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

/** The position of the next comma, skipping comments. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const next = scanner.getTokenOffset();
  return text[next] === ',' ? next : undefined;
}
