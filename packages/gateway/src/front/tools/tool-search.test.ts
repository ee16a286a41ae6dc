import { expect, it } from 'vitest';
import { buildCatalog } from '../../catalog/catalog.ts';
import { findTools } from './tool-search.ts';

const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' } });
const catalog = buildCatalog(
  [
    {
      name: 'github',
      prefix: '',
      allow: [],
      deny: [],
      lists: {
        tools: [
          tool('list_notes', 'Lists everything that is open as an issue'),
          tool('createIssue', 'Opens a ticket'),
          tool('issues_search', 'Finds tickets'),
        ],
        prompts: [],
        resources: [],
        templates: [],
      },
      withheld: new Map(),
    },
  ],
  [tool('relay_issue', 'A tool of the gateway')],
);
const found = (query: string) => findTools(catalog, query, undefined).map(({ name }) => name);

it('ranks whole words of the name over prefixes, and prefixes over the description', () => {
  expect(found('issue')).toEqual(['createIssue', 'issues_search', 'list_notes']);
});

it("finds tools by server, and never the gateway's own", () => {
  expect(found('GitHub').sort()).toEqual(['createIssue', 'issues_search', 'list_notes']);
  expect(found('relay gateway')).toEqual([]);
});

it('finds nothing for an empty query', () => {
  expect(found(' -- ')).toEqual([]);
});
