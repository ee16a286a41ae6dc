import { describe, expect, it } from 'vitest';
import { knownToolsets } from '../toolsets/index.ts';
import { ToolTable } from './tool-table.ts';
import { chooseToolsets, toolsetNames } from './toolset.ts';

const known = knownToolsets(['pm', 'dev-a', 'dev-b']);
const listed = (name: string) => new ToolTable(chooseToolsets([name], known)).list();

describe('choosing toolsets', () => {
  it('combines toolsets', () => {
    const names = new ToolTable(chooseToolsets(['relay', 'network'], known)).list().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['relay_send', 'relay_send_message']));
  });

  it('reads a list of names', () => {
    expect(toolsetNames(' relay, network,,')).toEqual(['relay', 'network']);
  });

  it('refuses two toolsets that define the same tool, and names it', () => {
    expect(() => chooseToolsets(['roles', 'workspace'], known)).toThrow(
      'The toolsets "roles" and "workspace" both have a tool post_message.',
    );
  });

  it('combines toolsets that share a tool, and lists it once', () => {
    const tools = new ToolTable(chooseToolsets(['workspace', 'worker'], known)).list();
    expect(tools.filter(({ name }) => name === 'submit_result')).toHaveLength(1);
  });

  it('refuses an unknown toolset and lists the known ones', () => {
    expect(() => chooseToolsets(['nope'], known)).toThrow('There is no toolset "nope".');
    expect(() => chooseToolsets([], known)).toThrow('No toolset is chosen.');
  });
});

describe('the size of a toolset', () => {
  it.each([
    ['relay', 5],
    ['relay,worker', 5],
    ['network', 5],
    ['workspace', 13],
    ['workspace,actions', 14],
  ])('%s: at most %i KB of tools/list', (names, kilobytes) => {
    const tools = toolsetNames(names).flatMap(listed);
    const bytes = Buffer.byteLength(JSON.stringify({ tools }));
    expect(bytes).toBeLessThanOrEqual(kilobytes * 1024);
  });

  it.each([...known.keys()])('%s: every tool is described and annotated', (name) => {
    for (const tool of listed(name)) {
      expect(tool.description, tool.name).toBeTruthy();
      expect(tool.annotations, tool.name).toHaveProperty('readOnlyHint');
    }
  });
});
