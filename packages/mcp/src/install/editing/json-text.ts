import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { type ConfigFormat, type Entry, isTable, positionOf } from './config-format.ts';
import { insertProperty, removeProperty, replaceValue } from './json-edits.ts';

const READING = { allowTrailingComma: true };
const BYTE_ORDER_MARK = '\uFEFF';

/** JSON as clients read it: comments and trailing commas are allowed, and stay where they are. */
export const json: ConfigFormat = {
  parse(text) {
    const errors: ParseError[] = [];
    const { content } = split(text);
    const value: unknown = parse(content, errors, READING);
    const [first] = errors;
    if (first)
      return { problem: inWords(printParseErrorCode(first.error)), ...positionOf(content, first.offset) };
    if (!isTable(value)) return { problem: 'it is not an object', line: 1, column: 1 };
    return { value };
  },

  set(text, servers, name, entry) {
    const { mark, content } = split(text);
    return mark + setTable(content, [servers], { [name]: entry });
  },

  remove(text, servers, name) {
    const { mark, content } = split(text);
    const without = removeProperty(content, propertyAt(content, [servers, name]));
    const isEmpty = nodeAt(without, [servers])?.children?.length === 0;
    return mark + (isEmpty ? removeProperty(without, propertyAt(without, [servers])) : without);
  },
};

/** Writes the values of a table one by one, so that comments between them stay. */
function setTable(text: string, path: string[], table: Entry | Record<string, Entry>): string {
  if (nodeAt(text, path)?.type !== 'object') return setValue(text, path, table);
  return Object.entries(table).reduce(
    (edited, [key, value]) =>
      isTable(value)
        ? setTable(edited, [...path, key], value as Entry)
        : setValue(edited, [...path, key], value),
    text,
  );
}

function setValue(text: string, path: string[], value: unknown): string {
  const old = nodeAt(text, path);
  if (old) return replaceValue(text, old, value);
  const key = path.at(-1);
  const parent = nodeAt(text, path.slice(0, -1));
  return key !== undefined && parent ? insertProperty(text, parent, key, value) : text;
}

const nodeAt = (text: string, path: string[]): Node | undefined => {
  const root = parseTree(text, [], READING);
  return root && findNodeAtLocation(root, path);
};

const propertyAt = (text: string, path: string[]) => nodeAt(text, path)?.parent;

function split(text: string): { mark: string; content: string } {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const content = text.slice(mark.length);
  return { mark, content: content.trim() === '' ? '{}\n' : content };
}

/** "ValueExpected" as "value expected". */
const inWords = (code: string) => code.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase();
