/** What a text consists of, as it is drawn. Whatever is not one of these is text. */
export type Block =
  | { kind: 'paragraph'; content: Inline[] }
  | { kind: 'heading'; level: number; content: Inline[] }
  | { kind: 'code'; text: string /** What is written beside the fence: the language. */; name?: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; items: Item[]; isOrdered: boolean }
  | { kind: 'table'; rows: Inline[][][]; aligns: Align[] }
  | { kind: 'rule' };

export type Align = 'left' | 'center' | 'right' | undefined;

export interface Item {
  /** The number that is written, in an ordered list. */
  number?: number;
  blocks: Block[];
}

export type Inline =
  | string
  | { kind: 'strong' | 'em' | 'del'; content: Inline[] }
  | { kind: 'code'; text: string }
  | {
      kind: 'link';
      href: string;
      content: Inline[];
      /** The rest of what is written, unless the content is the address itself. */
      rest?: string;
    };

/** All texts that are drawn, in their order. */
export function* textsOf(nodes: ReadonlyArray<Block | Inline>): Generator<string> {
  for (const node of nodes) {
    if (typeof node === 'string') yield node;
    else yield* textsIn(node);
  }
}

function* textsIn(node: Exclude<Block | Inline, string>): Generator<string> {
  switch (node.kind) {
    case 'code':
      if ('name' in node && node.name) yield node.name;
      yield node.text;
      break;
    case 'quote':
      yield* textsOf(node.blocks);
      break;
    case 'list':
      for (const { number, blocks } of node.items) {
        yield number === undefined ? '' : String(number);
        yield* textsOf(blocks);
      }
      break;
    case 'table':
      for (const cell of node.rows.flat()) {
        yield '';
        yield* textsOf(cell);
      }
      break;
    case 'rule':
      yield '';
      break;
    case 'link':
      yield* textsOf(node.content);
      if (node.rest) yield node.rest;
      break;
    default:
      yield* textsOf(node.content);
  }
}
