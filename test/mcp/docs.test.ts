import { globSync, readFileSync } from 'node:fs';
import { isRelayTool } from '@agent-relay/protocol';
import { describe, expect, it } from 'vitest';
import { ToolTable } from '../../packages/mcp/src/framework/tool-table.ts';
import { DEFAULT_ROLES } from '../../packages/mcp/src/participant/roles.ts';
import { promptsFor } from '../../packages/mcp/src/prompts/index.ts';
import { RESOURCE_TEMPLATES, RESOURCES } from '../../packages/mcp/src/resources/index.ts';
import { knownToolsets } from '../../packages/mcp/src/toolsets/index.ts';

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('docs/mcp.md', root), 'utf8');
const section = (heading: string) => text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
/** The cells of each row of the tables in a section, by the first one. */
const rows = (heading: string) =>
  new Map(
    [...section(heading).matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)].map(([, name = '', cells = '']) => [
      name,
      cells.split(' | ').map((cell) => cell.trim()),
    ]),
  );

describe.each([...knownToolsets(DEFAULT_ROLES).values()])('the toolset $name in docs/mcp.md', (toolset) => {
  const tools = new ToolTable([toolset]).list();
  const documented = rows(`Toolset ${toolset.name}`);

  it('is described with exactly its tools', () => {
    expect([...documented.keys()]).toEqual(tools.map(({ name }) => name));
  });

  it.each(tools)('$name has its parameters and defaults', ({ name, inputSchema }) => {
    const required = inputSchema.required ?? [];
    const expected = Object.entries(inputSchema.properties ?? {}).map(([parameter, schema]) => {
      const fallback = (schema as { default?: unknown }).default;
      const mark = required.includes(parameter) ? '' : '?';
      return `\`${parameter}${mark}\`${fallback === undefined ? '' : ` = \`${fallback}\``}`;
    });
    expect(documented.get(name)?.[0]).toBe(expected.join(', '));
  });
});

it('keeps actions from being called like a tool of the relay', () => {
  const names = [...knownToolsets(DEFAULT_ROLES).values()].flatMap(({ tools }) =>
    tools.map(({ name }) => name),
  );
  expect(names.filter((name) => !isRelayTool(name))).toEqual([]);
});

it('documents every resource and prompt, and no others', () => {
  const promptsOfAgents = promptsFor([...knownToolsets([]).values()]);
  const uris = [
    ...RESOURCES.map(({ uri }) => uri),
    ...RESOURCE_TEMPLATES.map(({ uriTemplate }) => uriTemplate),
  ];
  expect([...rows('Resources').keys()].sort()).toEqual(uris.sort());
  const prompts = rows('Prompts');
  expect([...prompts.keys()]).toEqual(promptsOfAgents.map(({ name }) => name));
  for (const { name, arguments: args } of promptsOfAgents) {
    const expected = args.map((argument) => `\`${argument.name}${argument.required ? '' : '?'}\``);
    expect(prompts.get(name)?.[0], name).toBe(expected.join(', '));
  }
});

it('documents every variable the server reads', () => {
  const sources = globSync('packages/{mcp,sdk}/src/**/*.ts', { cwd: root }).filter(
    (file) => !/test|install/.test(file),
  );
  const read = new Set(
    sources.flatMap((file) =>
      [...readFileSync(new URL(file, root), 'utf8').matchAll(/env\.(RELAY_\w+)/g)].map(([, name]) => name),
    ),
  );
  expect([...rows('Who you are').keys()].sort()).toEqual([...read].sort());
});

it('links only to documents that exist', () => {
  for (const [, file = ''] of text.matchAll(/\]\(([\w-]+\.md)\)/g)) {
    expect(readFileSync(new URL(`docs/${file}`, root), 'utf8'), file).not.toBe('');
  }
});
