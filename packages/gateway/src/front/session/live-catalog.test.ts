import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Lists } from '../../catalog/catalog.ts';
import { LiveCatalog } from './live-catalog.ts';

const tool = (name: string) => ({ name, description: name, inputSchema: { type: 'object' } });

function follow() {
  let lists: Lists = { tools: [tool('a')], prompts: [], resources: [], templates: [] };
  const told: string[] = [];
  let built = 0;
  const sources = () => {
    built++;
    return [{ name: 'one', prefix: '', allow: [], deny: [], lists, withheld: new Map<string, string>() }];
  };
  const catalog = new LiveCatalog(sources, [], (list) => told.push(list));
  return {
    catalog,
    told,
    built: () => built,
    change: (more: Partial<Lists>) => {
      lists = { ...lists, ...more };
      catalog.invalidate();
    },
  };
}

it('reports which lists changed; templates count as resources', async () => {
  const { told, change } = follow();
  change({ tools: [tool('b')], templates: [{ uriTemplate: 'x://{y}' }] });
  await nextTurn();
  expect(told).toEqual(['tools', 'resources']);
});

it('reports nothing if clients would see no difference', async () => {
  const { told, change } = follow();
  change({ tools: [tool('a')] });
  await nextTurn();
  expect(told).toEqual([]);
});

it('rebuilds once for many changes, and is current whenever it is read', async () => {
  const { catalog, change, built } = follow();
  for (const name of ['b', 'c', 'd']) change({ tools: [tool(name)] });
  expect([...catalog.current.tools.keys()]).toEqual(['d']);
  await nextTurn();
  expect(built()).toBe(2);
});
