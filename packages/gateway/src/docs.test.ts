import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HEALTH } from './backend/health.ts';
import { listedBackend } from './config/backend-config.ts';
import { managementTools } from './front/tools/management.ts';
import { searchTools } from './front/tools/tool-search.ts';

const text = readFileSync(new URL('../../../docs/gateway.md', import.meta.url), 'utf8');

/** The names in the first column of the table under a heading, as they are written in code. */
function firstColumn(heading: string): string[] {
  const [, section = ''] = text.split(`| ${heading} |`);
  const [table = ''] = section.split('\n\n');
  return table
    .split('\n')
    .slice(2)
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)/g)].map(([, name = '']) => name));
}

it('documents every backend setting, and no others', () => {
  expect(firstColumn('Setting').sort()).toEqual(Object.keys(listedBackend.shape).sort());
});

it('documents every tool of the gateway', () => {
  expect(firstColumn('Tool').sort()).toEqual(managementTools.map(({ name }) => name).sort());
  for (const { name } of searchTools) expect(text).toContain(`\`${name}(`);
});

it('documents every health state', () => {
  expect(firstColumn('Health').sort()).toEqual([...HEALTH].sort());
});
