import { isCollection, isNode, LineCounter, parseDocument } from 'yaml';
import { ConfigSyntaxError, type ConfigText } from './config-text.ts';

export function yamlText(text: string): ConfigText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  const syntax = document.errors[0];
  if (syntax) throw new ConfigSyntaxError(syntax.message, at(syntax.pos[0]));
  // Keep the formatting of unrelated lines.
  const style = { lineWidth: 0, flowCollectionPadding: /[[{] /.test(text) };
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
      // Otherwise `backends: []` would stay on one line, with the new entry in it.
      if (isCollection(parent) && parent.items.length === 0) parent.flow = false;
      edited.setIn(path, edited.createNode(value));
      return edited.toString(style);
    },
    without(path) {
      const edited = document.clone();
      edited.deleteIn(path);
      return edited.toString(style);
    },
  };
}
