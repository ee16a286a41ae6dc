import type { ComponentChild, VNode } from 'preact';
import { createElement } from 'preact';
import { readMarkdown } from './markdown.ts';
import type { Block, Inline, Item } from './tree.ts';

/** Draws the words between the marks. */
type DrawWords = (words: string) => ComponentChild;

/** A text of an agent or a person, formatted. It is never HTML, so nothing in it can load, run or imitate the page. */
export function FormattedText({ text, drawWords }: { text: string; drawWords: DrawWords }) {
  const read = readMarkdown(text);
  return 'plain' in read ? <p>{read.plain}</p> : drawBlocks(read.blocks, drawWords);
}

const drawBlocks = (blocks: Block[], drawWords: DrawWords): VNode[] =>
  blocks.map((block) => drawBlock(block, drawWords));

const drawAll = (content: Inline[], drawWords: DrawWords): ComponentChild[] =>
  content.map((node) => drawInline(node, drawWords));

function drawBlock(block: Block, drawWords: DrawWords): VNode {
  switch (block.kind) {
    case 'paragraph':
      return <p>{drawAll(block.content, drawWords)}</p>;
    case 'heading':
      return createElement(`h${block.level}`, null, ...drawAll(block.content, drawWords));
    case 'code':
      return (
        <>
          {block.name && <p class="code-name">{block.name}</p>}
          {/* Wide ones are scrolled, also with the keyboard. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: axe-core asks for it */}
          <pre tabIndex={0}>
            <code>{block.text}</code>
          </pre>
        </>
      );
    case 'quote':
      return <blockquote>{drawBlocks(block.blocks, drawWords)}</blockquote>;
    case 'list': {
      const items = block.items.map((item) => drawItem(item, drawWords));
      return block.isOrdered ? (
        <ol class={block.items.some(isLongNumber) ? 'has-long-numbers' : undefined}>{items}</ol>
      ) : (
        <ul>{items}</ul>
      );
    }
    case 'table': {
      const [head = [], ...rows] = block.rows;
      const cell = (name: 'th' | 'td') => (content: Inline[], column: number) =>
        createElement(name, { align: block.aligns[column] }, ...drawAll(content, drawWords));
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: axe-core asks for it
        <table tabIndex={0}>
          <thead>
            <tr>{head.map(cell('th'))}</tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>{row.map(cell('td'))}</tr>
            ))}
          </tbody>
        </table>
      );
    }
    case 'rule':
      return <hr />;
  }
}

/** The number that is written, whatever the ones before it are. */
const drawItem = ({ number, blocks }: Item, drawWords: DrawWords): VNode => (
  <li value={number}>{drawBlocks(blocks, drawWords)}</li>
);

/** There is room for two digits beside the text. */
const isLongNumber = ({ number = 0 }: Item): boolean => number > 99;

function drawInline(node: Inline, drawWords: DrawWords): ComponentChild {
  if (typeof node === 'string') return drawWords(node);
  switch (node.kind) {
    case 'code':
      return <code>{node.text}</code>;
    case 'link':
      return (
        <>
          {/* Without access to this page, and without a referrer. */}
          <a href={node.href} target="_blank" rel="noopener noreferrer nofollow">
            {/* Names are no links within a link. */}
            {drawAll(node.content, (words) => words)}
          </a>
          {node.rest && <span class="link-rest"> {node.rest}</span>}
        </>
      );
    default:
      return createElement(node.kind, null, ...drawAll(node.content, drawWords));
  }
}
