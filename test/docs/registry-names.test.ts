import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/*
 * On the public npm registry the names of these packages belong to another project: our docs must never make a user
 * fetch and run those.
 */

const OURS = String.raw`(?<![\w./~-])(?:@agent-relay/[\w{*…]|agent-relay\b(?!-))`;
/** What fetches a package by its name. A path to a tarball, or the removal of a package, does not. */
const FETCHES = new RegExp(
  String.raw`\b(?:npm (?:i|install|add|exec|x|create)|pnpm|yarn|bunx?|deno)\b[^\n\`]*${OURS}`,
);
/** What fetches it outside a directory where it is installed. */
const RUNS = /\bnpx agent-relay\b/;
/** What fetches it anywhere. */
const ALWAYS_FETCHES = /\bnpx (?:-\S+ )+@?agent-relay|\bnpx (?:@agent-relay|agent-relay@|agent-relay-)/;
const SAYS_WHERE = /inside the clone|you have just installed/i;

const documents = [
  ...readdirSync(ROOT),
  ...readdirSync(join(ROOT, 'docs')).map((file) => `docs/${file}`),
].filter((file) => file.endsWith('.md'));
const sources = readdirSync(join(ROOT, 'packages'), { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    /\/(src|bin)\/.*\.[jt]s$/.test(file) && !file.includes('node_modules') && !file.includes('.test.'),
);

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

it.each(documents)('%s never tells a reader to install our names from the registry', (file) => {
  const text = textOf(file);
  expect(FETCHES.exec(text)?.[0]).toBeUndefined();
  expect(ALWAYS_FETCHES.exec(text)?.[0]).toBeUndefined();
});

it.each(documents.filter((file) => RUNS.test(textOf(file))))('%s says where npx finds the relay', (file) => {
  expect(textOf(file)).toMatch(SAYS_WHERE);
});

it('no message of a program tells a reader to run it from the registry', () => {
  const found = sources.filter((file) => {
    const text = readFileSync(join(ROOT, 'packages', file), 'utf8');
    return [FETCHES, RUNS, ALWAYS_FETCHES].some((pattern) => pattern.test(text));
  });
  expect(sources.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});

describe('the patterns', () => {
  it.each([
    'npm install agent-relay',
    'npm i -g agent-relay',
    'npm i @agent-relay/sdk',
    'npm install --save-dev @agent-relay/{sdk,mcp}',
    'pnpm add @agent-relay/sdk',
  ])('find %s', (line) => {
    expect(line).toMatch(FETCHES);
  });

  it.each(['npx -y agent-relay up', 'npx @agent-relay/mcp', 'npx agent-relay@latest', 'npx agent-relay-mcp'])(
    'find %s',
    (line) => {
      expect(line).toMatch(ALWAYS_FETCHES);
    },
  );

  it.each([
    'npm install -g ./dist/*.tgz',
    'npm install /path/to/agent-relay/dist/*.tgz',
    'npm uninstall -g agent-relay @agent-relay/{mcp,sdk}',
    'npm ci && npx agent-relay up',
  ])('ignore %s', (line) => {
    expect(line).not.toMatch(FETCHES);
    expect(line).not.toMatch(ALWAYS_FETCHES);
  });
});

describe('docs/sdk.md', () => {
  it('starts with how to install it from the clone, and the Node that a .ts file needs', () => {
    const [, beginning = ''] =
      /^# SDK\n([\s\S]*?)\n## /.exec(readFileSync(join(ROOT, 'docs/sdk.md'), 'utf8')) ?? [];
    expect(beginning).toMatch(
      /^\nInstall it from a clone[\s\S]*npm run pack[\s\S]*npm install \S+\/dist\/\*\.tgz/,
    );
    expect(beginning).toMatch(/needs Node 24, and so does\nrunning a `\.ts` file/);
  });
});
