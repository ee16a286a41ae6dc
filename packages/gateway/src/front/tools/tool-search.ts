import type { Catalog, Route } from '../../catalog/catalog.ts';
import type { Definition } from '../../catalog/validate-tool.ts';

const MOST_FOUND = 50;

/** Three tools instead of hundreds: the model searches and reads only what it needs. */
export const searchTools: Definition[] = [
  {
    name: 'relay_search_tools',
    description: 'Search the tools of all servers by words in their name or description',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: MOST_FOUND } },
      required: ['query'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'relay_describe_tool',
    description: 'Get the full definition of one tool, with its input schema',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'relay_call_tool',
    description: 'Call a tool by name, with arguments that match its input schema',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
      required: ['name'],
    },
  },
];

export interface FoundTool {
  name: string;
  server: string;
  description: string;
}

/** The best matches. Words in the name count more than words in the description. */
export function findTools(catalog: Catalog, query: string, limit: unknown): FoundTool[] {
  const most = typeof limit === 'number' ? Math.min(Math.max(Math.floor(limit), 1), MOST_FOUND) : 10;
  const words = wordsOf(query);
  const scored = [...catalog.tools]
    .filter(([, route]) => route.backend !== '')
    .map(([name, route]) => ({ name, route, score: score(words, name, route) }));
  return scored
    .filter((entry) => entry.score > 0)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name, route }) => ({
      name,
      server: route.backend,
      description: shorten(String(route.definition.description)),
    }));
}

function score(words: string[], name: string, route: Route): number {
  const inName = wordsOf(`${name} ${route.backend}`);
  const inDescription = new Set(wordsOf(String(route.definition.description)));
  let total = 0;
  for (const word of words) {
    if (inName.includes(word)) total += 5;
    else if (inName.some((part) => part.startsWith(word))) total += 3;
    if (inDescription.has(word)) total += 1;
  }
  return total;
}

const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

const shorten = (text: string): string => (text.length <= 160 ? text : `${text.slice(0, 157)}…`);
