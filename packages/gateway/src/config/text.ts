import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { isCollection, isNode, LineCounter, parseDocument } from 'yaml';

export type ConfigPath = Array<string | number>;

/** A configuration file in memory: its value, where each part of it stands, and edits that keep the user's comments. */
export interface ConfigText {
  readonly value: unknown;
  /** "line:column" of the value at a path, or of the nearest parent that exists. */
  position(path: ConfigPath): string;
  /** The new text with a value set at a path; a path that ends at the list's length appends. */
  withValue(path: ConfigPath, value: unknown): string;
  without(path: ConfigPath): string;
}

/** The text is not YAML or JSON at all. */
export class ConfigSyntaxError extends Error {
  readonly position: string;
  constructor(message: string, position: string) {
    super(message);
    this.position = position;
  }
}

export const readConfigText = (fileName: string, text: string): ConfigText =>
  /\.ya?ml$/i.test(fileName) ? yamlText(text) : jsonText(text);

function yamlText(text: string): ConfigText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  const syntax = document.errors[0];
  if (syntax) throw new ConfigSyntaxError(syntax.message, at(syntax.pos[0]));
  return {
    value: document.toJS({ maxAliasCount: 100 }),
    position(path) {
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return at(node.range[0]);
      }
      return '1:1';
    },
    withValue(path, value) {
      const edited = document.clone();
      const parent = edited.getIn(path.slice(0, -1));
      // `backends: []` would keep its one-line form and pull the new entry into it.
      if (isCollection(parent) && parent.items.length === 0) parent.flow = false;
      edited.setIn(path, edited.createNode(value));
      return edited.toString();
    },
    without(path) {
      const edited = document.clone();
      edited.deleteIn(path);
      return edited.toString();
    },
  };
}

function jsonText(text: string): ConfigText {
  const options = { allowTrailingComma: true };
  const errors: ParseError[] = [];
  const value: unknown = text.trim() === '' ? {} : parse(text, errors, options);
  const at = (offset: number) => {
    const before = text.slice(0, offset).split('\n');
    return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  };
  const syntax = errors[0];
  if (syntax) throw new ConfigSyntaxError(printParseErrorCode(syntax.error), at(syntax.offset));
  const tree = parseTree(text, [], options);
  const edit = (path: ConfigPath, replacement: unknown) =>
    applyEdits(
      text,
      modify(text, path, replacement, { formattingOptions: { insertSpaces: true, tabSize: 2 } }),
    );
  return {
    value,
    position(path) {
      for (let length = path.length; tree && length > 0; length--) {
        const node = findNodeAtLocation(tree, path.slice(0, length));
        if (node) return at(node.offset);
      }
      return '1:1';
    },
    withValue: edit,
    without: (path) => edit(path, undefined),
  };
}
