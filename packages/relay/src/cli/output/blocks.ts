import { wrap } from '@agent-relay/platform';
import { columns, styled, table, tableWidth } from './terminal.ts';

type Fact = [label: string, values: readonly string[]];

/** A sentence, wrapped where the terminal is narrow. */
export const inColumns = (sentence: string): string => wrap(sentence, columns());

/** A title with facts below it, their values wrapped beside their labels; omits those without a value. */
export function block(title: string, facts: readonly Fact[]): string {
  const told = facts.filter(([, values]) => values.length > 0);
  const indent = 4 + Math.max(0, ...told.map(([label]) => label.length));
  const lines = told.flatMap(([label, values]) =>
    values
      .flatMap((value) => wrap(value, columns() - indent).split('\n'))
      .map((line, at) => {
        const margin = (at === 0 ? `  ${label}` : '').padEnd(indent);
        return `${styled('dim', margin)}${line}`;
      }),
  );
  return [styled('bold', title), ...lines].join('\n');
}

/** A table, or a block for each row where the terminal is too narrow for it. The first column names the row. */
export function tableOrBlocks(titles: readonly string[], rows: string[][]): string {
  const whole = [titles.map((title) => styled('dim', title)), ...rows];
  if (tableWidth(whole) <= columns()) return table(whole);
  const labels = titles.map((title) => title.toLowerCase());
  return rows
    .map(([name = '', ...cells]) =>
      block(
        name,
        cells.map((cell, at): Fact => [labels[at + 1] ?? '', cell === '' ? [] : [cell]]),
      ),
    )
    .join('\n\n');
}
