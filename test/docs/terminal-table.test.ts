import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { adapterOf } from '../../packages/harness-driver/src/clis/clis.ts';
import { TERMINAL_CLIS } from '../agents/clis/index.ts';
import { TERMINAL_CASES } from '../agents/terminal-cases.ts';
import { headingOf, readTable, TABLE_FILE } from '../agents/terminal-table.ts';

const text = readFileSync(TABLE_FILE, 'utf8');

it('has a column for each tested CLI and version', () => {
  expect(TERMINAL_CLIS.map(headingOf)).toEqual(expect.arrayContaining([...readTable(text).keys()]));
});

it('has a row for each case', () => {
  for (const words of Object.values(TERMINAL_CASES)) expect(text).toContain(`\n| ${words} |`);
});

it('shows paths, and no failure', () => {
  for (const results of readTable(text).values())
    for (const path of Object.values(results)) expect(path).toMatch(/^(native|hook|pty|nothing left)$/);
});

it.each(TERMINAL_CLIS)(
  'names the tested version of $id in docs/terminals.md',
  ({ id, version, earlier = [] }) => {
    const tried = [...earlier, version].join(', ');
    const guide = readFileSync(new URL('../../docs/terminals.md', import.meta.url), 'utf8');
    expect(guide).toMatch(
      new RegExp(String.raw`^\| \`${id}\` \|.*\| ${tried.replaceAll('.', '\\.')} \|$`, 'm'),
    );
  },
);

it.each(TERMINAL_CLIS)(
  'relies on the paths of $id in the tested versions',
  ({ id, version, earlier = [] }) => {
    expect(adapterOf(id).proven).toEqual([...earlier, version]);
  },
);
