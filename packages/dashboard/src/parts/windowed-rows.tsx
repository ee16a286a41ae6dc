import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Drawn above and below what is in view, so that scrolling does not show a gap. */
const MARGIN_ROWS = 6;

/**
 * A table of any length of which only what is in view is drawn. Rows have one height each; on a phone, where rows are as
 * high as they need, all of a shorter list are drawn.
 */
export function WindowedRows<T>({
  rows,
  rowHeight,
  columns,
  head,
  row,
  label,
}: {
  rows: readonly T[];
  rowHeight: number;
  columns: number;
  head: ComponentChildren;
  row: (entry: T, index: number) => ComponentChildren;
  label: string;
}) {
  const frame = useRef<HTMLElement>(null);
  const range = useSignal({ from: 0, to: 40 });
  const look = () => {
    const element = frame.current;
    if (!element) return;
    const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - MARGIN_ROWS);
    const to = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + MARGIN_ROWS;
    if (from !== range.peek().from || to !== range.peek().to) range.value = { from, to };
  };
  useLayoutEffect(look, [rows.length]);
  const { from } = range.value;
  const to = Math.min(rows.length, range.value.to);
  const start = Math.min(from, Math.max(0, to - 1));
  return (
    // Scrolled with the keyboard, it has to be reachable.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: axe-core asks for it
    <section class="table-frame is-windowed" ref={frame} onScroll={look} tabIndex={0} aria-label={label}>
      <table class="agents" aria-rowcount={rows.length + 1}>
        {head}
        <tbody>
          {start > 0 && <Space rows={start} rowHeight={rowHeight} columns={columns} />}
          {rows.slice(start, to).map((entry, index) => row(entry, start + index))}
          {to < rows.length && <Space rows={rows.length - to} rowHeight={rowHeight} columns={columns} />}
        </tbody>
      </table>
    </section>
  );
}

const Space = ({ rows, rowHeight, columns }: { rows: number; rowHeight: number; columns: number }) => (
  <tr class="space">
    <td colSpan={columns} style={{ height: `${rows * rowHeight}px` }} />
  </tr>
);
