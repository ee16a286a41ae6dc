import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../../packages/mcp/src/install/clients.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const install = textOf('docs/install.md');

/** The text below a heading, up to the next one. */
const section = (text: string, heading: string): string =>
  new RegExp(String.raw`^#+ ${heading}\n([\s\S]*?)(?=^#|$(?![\s\S]))`, 'm').exec(text)?.[1] ?? '';

interface Locked {
  engines?: { node?: string };
  optional?: boolean;
}

/** Whether one of the alternatives of a range (`^22 || >=24`) begins at 20 or before, and goes on to it. */
const admitsNode20 = (range: string): boolean =>
  range.split('||').some((alternative) => {
    const [, sign = '', major = ''] = /^\s*([\^~>=v]*)\s*(\d+|\*|x)/.exec(alternative) ?? [];
    if (major === '*' || major === 'x') return true;
    return sign.startsWith('>') ? Number(major) <= 20 : Number(major) === 20;
  });

describe('docs/install.md', () => {
  it('names the packages that npm warns about on Node 20, none of them ours', () => {
    const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> };
    const refusing = Object.entries(packages).filter(
      ([, { engines, optional }]) => !optional && engines?.node && !admitsNode20(engines.node),
    );
    const names = refusing.map(([path]) => path.replace(/^.*node_modules\//, ''));
    const [, named = ''] = /third-party packages only \(([^)]*)\)/.exec(install) ?? [];
    expect([...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort()).toEqual(
      [...new Set(names)].sort(),
    );
  });

  it('says how to upgrade and remove it, and what a git worktree belongs to', () => {
    expect(section(install, 'Upgrade')).toMatch(/git pull && npm ci[\s\S]*agent-relay daemon restart/);
    expect(section(install, 'Remove')).toMatch(/mcp uninstall[\s\S]*daemon stop[\s\S]*rm -r/);
    expect(section(install, 'Git worktrees')).toContain('belongs to the project of its repository');
  });
});

it.each(CLIENTS.map(({ title }) => title))('docs/clients.md tells how to allow the tools in %s', (title) => {
  expect(section(textOf('docs/clients.md'), 'Allow the tools')).toMatch(
    new RegExp(`^\\| ${title} \\| \\w`, 'm'),
  );
});

describe('README.md', () => {
  const readme = textOf('README.md');

  it('explains the remaining warnings', () => {
    expect(section(readme, 'Install')).toMatch(
      /`EBADENGINE` warnings for a few third-party packages[\s\S]*harmless/,
    );
  });

  it('says plainly what wakes an agent, and what does not', () => {
    const wakes = section(readme, 'What wakes an agent');
    expect(wakes).toMatch(
      /An\s+MCP\s+server\s+cannot\s+wake\s+an\s+agent\s+that\s+is\s+idle\s+at\s+its\s+prompt/,
    );
    for (const way of ['agent-relay run -- claude', 'mcp install --hooks', 'inbox --wait', 'SDK'])
      expect(wakes).toContain(way);
  });
});
