import { readFile, writeFile } from 'node:fs/promises';
import type { TerminalResults } from './checks/terminal-checks.ts';
import type { AgentCli } from './clis/agent-cli.ts';
import { TERMINAL_CLIS } from './clis/index.ts';
import { TERMINAL_CASES, type TerminalCase } from './terminal-cases.ts';

export const TABLE_FILE = new URL('../../docs/delivery.md', import.meta.url);
const [BEGIN, END] = ['<!-- made by npm run test:terminals -->', '<!-- end -->'];
/** Not tried: the CLI has no such thing. */
const NOT_TRIED = '–';

export const headingOf = ({ title, version }: AgentCli): string => `${title} ${version}`;

/** The table in a text: for each heading of a CLI, what it shows for each case. */
export function readTable(text: string): Map<string, TerminalResults> {
  const [, table = ''] = text.split(BEGIN);
  const [head = [], ...rows] = (table.split(END)[0] ?? '')
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[-|]+\|$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  const results = new Map<string, TerminalResults>();
  for (const [column, heading] of head.entries()) {
    if (column === 0) continue;
    const cells = rows.map((row) => [caseCalled(row[0] ?? ''), row[column]] as const);
    results.set(heading, Object.fromEntries(cells.filter(([name, cell]) => name && cell !== NOT_TRIED)));
  }
  return results;
}

const caseCalled = (row: string): string | undefined =>
  Object.entries(TERMINAL_CASES).find(([, words]) => words === row)?.[0];

/** Enters what was observed with one CLI; what is there of the others, in the same version, stays. */
export async function writeResults(cli: AgentCli, results: TerminalResults): Promise<void> {
  const text = await readFile(TABLE_FILE, 'utf8');
  const known = readTable(text).set(headingOf(cli), results);
  const tried = TERMINAL_CLIS.filter((candidate) => known.has(headingOf(candidate)));
  const rows = (Object.keys(TERMINAL_CASES) as TerminalCase[]).map((name) => [
    TERMINAL_CASES[name],
    ...tried.map((candidate) => known.get(headingOf(candidate))?.[name] ?? NOT_TRIED),
  ]);
  const lines = [
    ['When the message comes', ...tried.map(headingOf)],
    ['', ...tried.map(() => '')].map(() => '---'),
    ...rows,
  ];
  const table = lines.map((cells) =>
    cells[0] === '---' ? `|${cells.join('|')}|` : `| ${cells.join(' | ')} |`,
  );
  const [before = '', rest = ''] = text.split(BEGIN);
  const [, after = ''] = rest.split(END);
  await writeFile(TABLE_FILE, `${before}${BEGIN}\n${table.join('\n')}\n${END}${after}`);
}
