import { expect, test } from 'vitest';
import { buildCatalog, type CatalogSource, resourceRoute } from './catalog.ts';

const tool = (name: string, extra: Record<string, unknown> = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  ...extra,
});
const source = (name: string, tools: unknown[], more: Partial<CatalogSource> = {}): CatalogSource => ({
  name,
  prefix: '',
  allow: [],
  deny: [],
  lists: { tools, prompts: [], resources: [], templates: [] },
  withheld: new Map(),
  ...more,
});
const namesOf = (...sources: CatalogSource[]) => [...buildCatalog(sources, []).tools.keys()];

test('of two backends with the same tool the first in the configuration wins, the second is shown invalid', () => {
  const catalog = buildCatalog(
    [source('a', [tool('search')]), source('b', [tool('search'), tool('other')])],
    [],
  );
  expect(catalog.tools.get('search')?.backend).toBe('a');
  expect(catalog.reports.get('b')).toEqual({
    toolNames: ['other'],
    invalid: [{ name: 'search', reason: "Name conflict: 'search' is already provided by a" }],
    hidden: [],
  });
});

test('prefixes resolve conflicts; allow and deny choose tools by pattern', () => {
  expect(namesOf(source('a', [tool('search')]), source('b', [tool('search')], { prefix: 'b_' }))).toEqual([
    'search',
    'b_search',
  ]);
  const chosen = source('a', [tool('read_file'), tool('read_dir'), tool('write')], {
    allow: ['read_*'],
    deny: ['*_dir'],
  });
  expect(namesOf(chosen)).toEqual(['read_file']);
});

test('a tool of the gateway itself keeps its name', () => {
  const catalog = buildCatalog([source('a', [tool('relay_get_status')])], [tool('relay_get_status')]);
  expect(catalog.tools.get('relay_get_status')?.backend).toBe('');
  expect(catalog.refused.get('relay_get_status')).toBe(
    "Name conflict: 'relay_get_status' is already provided by the gateway",
  );
});

test('a withheld tool is not offered, and the reason is kept under its offered name', () => {
  const withheld = new Map([['send', 'Changed definition']]);
  const catalog = buildCatalog([source('a', [tool('send')], { prefix: 'a_', withheld })], []);
  expect([...catalog.tools.keys()]).toEqual([]);
  expect([...catalog.refused]).toEqual([['a_send', 'Changed definition']]);
});

test('prompts and resources of the same name come from the first backend and are hidden in the second', () => {
  const lists = {
    tools: [],
    prompts: [{ name: 'hello' }],
    resources: [{ uri: 'note://1' }],
    templates: [],
  };
  const catalog = buildCatalog([source('a', [], { lists }), source('b', [], { lists })], []);
  expect(catalog.prompts.get('hello')?.backend).toBe('a');
  expect(catalog.reports.get('b')?.hidden).toEqual([
    { name: 'hello', reason: "Prompt conflict: 'hello' is already provided by a" },
    { name: 'note://1', reason: 'Resource conflict: already provided by a' },
  ]);
});

test('a resource is served by the backend that lists it, before any template that fits', () => {
  const withTemplate = { tools: [], prompts: [], resources: [], templates: [{ uriTemplate: 'note://{id}' }] };
  const withResource = { tools: [], prompts: [], resources: [{ uri: 'note://1' }], templates: [] };
  const catalog = buildCatalog(
    [source('a', [], { lists: withTemplate }), source('b', [], { lists: withResource })],
    [],
  );
  expect(resourceRoute(catalog, 'note://1')?.backend).toBe('b');
  expect(resourceRoute(catalog, 'note://2')?.backend).toBe('a');
  expect(resourceRoute(catalog, 'file:///x')).toBeUndefined();
});
