import { readFileSync } from 'node:fs';
import type { ScreenLine, ScreenView } from '../../packages/harness-driver/src/screen/view.ts';

/** A screen as a file that a person can read: what is not in the lines comes first, as JSON. */
export function screenFile({ lines, ...rest }: ScreenView): string {
  const rows = lines.map(({ text, looks }) => (/[^.]/.test(looks) ? `|${text}\n:${looks}` : `|${text}`));
  return `${JSON.stringify(rest)}\n${rows.join('\n')}\n`;
}

export function readScreenFile(file: string | URL): ScreenView {
  const [head = '{}', ...rest] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const lines: ScreenLine[] = [];
  for (const row of rest) {
    const last = lines.at(-1);
    if (row.startsWith(':') && last) lines[lines.length - 1] = { ...last, looks: row.slice(1) };
    else lines.push({ text: row.slice(1), looks: '.'.repeat(row.length - 1) });
  }
  return { ...(JSON.parse(head) as Omit<ScreenView, 'lines'>), lines };
}
