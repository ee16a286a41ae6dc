import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Rows rendered above and below the visible ones, so that scrolling shows no gap. */
const MARGIN_ROWS = 6;

/**
 * A table of any length that renders only the visible rows, all of the same height. On phones, where heights vary, it
 * renders all rows of a shorter list.
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
  const range = useSignal({ from: 0, to: MARGIN_ROWS });
  const look = () => {
    const element = frame.current;
    if (!element) return;
    const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - MARGIN_ROWS);
    const to = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + MARGIN_ROWS;
    if (from !== range.peek().from || to !== range.peek().to) range.value = { from, to };
  };
  // After the page is drawn: before, the browser would have to lay it out at once.
  useEffect(look, [rows.length]);
  const { from } = range.value;
  const to = Math.min(rows.length, range.value.to);
  const start = Math.min(from, Math.max(0, to - 1));
  return (
    // Focusable, to be scrolled with the keyboard.
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
