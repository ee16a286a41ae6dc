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

test('gives a tool name to the first backend, and marks the tool of the second as invalid', () => {
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

test('resolves conflicts by prefix, and filters tools by allow and deny patterns', () => {
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

test("keeps the names of the gateway's own tools", () => {
  const catalog = buildCatalog([source('a', [tool('relay_get_status')])], [tool('relay_get_status')]);
  expect(catalog.tools.get('relay_get_status')?.backend).toBe('');
  expect(catalog.refused.get('relay_get_status')).toBe(
    "Name conflict: 'relay_get_status' is already provided by the gateway",
  );
});

test('does not list a withheld tool, and keeps the reason under its listed name', () => {
  const withheld = new Map([['send', 'Changed definition']]);
  const catalog = buildCatalog([source('a', [tool('send')], { prefix: 'a_', withheld })], []);
  expect([...catalog.tools.keys()]).toEqual([]);
  expect([...catalog.refused]).toEqual([['a_send', 'Changed definition']]);
});

test('takes prompts and resources of the same name from the first backend', () => {
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

test('prefers a backend that lists a resource over one with a matching template', () => {
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
