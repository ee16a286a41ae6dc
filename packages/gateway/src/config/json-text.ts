import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { type ConfigPath, ConfigSyntaxError, type ConfigText } from './config-text.ts';

export function jsonText(text: string): ConfigText {
  const options = { allowTrailingComma: true };
  const errors: ParseError[] = [];
  const value: unknown = text.trim() === '' ? {} : parse(text, errors, options);
  const at = (offset: number) => {
    const before = text.slice(0, offset).split('\n');
    return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  };
  const syntax = errors[0];
  if (syntax) throw new ConfigSyntaxError(inWords(printParseErrorCode(syntax.error)), at(syntax.offset));
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

/** `CloseBracketExpected` as `close bracket expected`. */
const inWords = (code: string): string =>
  code.replaceAll(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
