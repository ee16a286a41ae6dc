import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../kit/daemon.ts';
import { olderNode } from '../kit/older-node.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const older = olderNode();

let sandbox: Sandbox;
let modules: string;
let packing: string;
beforeAll(async () => {
  sandbox = await createSandbox();
  modules = join(sandbox.directory, 'installed', 'node_modules');
  await writeFile(join(sandbox.directory, 'agent-relay-0.0.1.tgz'), 'of an older version');
  packing = (await run(process.execPath, [join(ROOT, 'build', 'pack.ts'), sandbox.directory])).stdout;
  for (const file of await readdir(sandbox.directory)) {
    if (file.endsWith('.tgz')) await install(join(sandbox.directory, file));
  }
});
afterAll(() => sandbox[Symbol.asyncDispose]());

/** Like npm, but with the dependencies of this checkout. */
async function install(tarball: string): Promise<void> {
  const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
  const { name, dependencies, optionalDependencies } = JSON.parse(stdout);
  const place = join(modules, name);
  await mkdir(place, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
  const source = join(ROOT, 'packages', name === 'agent-relay' ? 'relay' : name.split('/')[1]);
  for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = [source, ROOT]
      .map((directory) => join(directory, 'node_modules', dependency))
      .find(existsSync);
    if (dependency.startsWith('@agent-relay/') || found === undefined) continue;
    const link = join(place, 'node_modules', dependency);
    await mkdir(dirname(link), { recursive: true });
    await symlink(found, link);
  }
}

it('pack shows its progress, removes older tarballs, and prints the next command', async () => {
  const lines = packing.trim().split('\n');
  expect(lines[0]).toBe('Compiling…');
  const tarballs = (await readdir(sandbox.directory)).filter((file) => file.endsWith('.tgz'));
  expect(tarballs).toHaveLength(7);
  expect(tarballs).not.toContain('agent-relay-0.0.1.tgz');
  for (const file of tarballs) expect(lines).toContain(join(sandbox.directory, file));
  expect(lines.at(-1)).toBe(`Install them together with: npm install -g ${sandbox.directory}/*.tgz`);
});

it('programs and the checkout require Node 20, libraries require Node 24', async () => {
  const engine = async (directory: string) =>
    JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')).engines.node;
  for (const name of ['agent-relay', '@agent-relay/mcp'])
    expect(await engine(join(modules, name))).toBe('>=20');
  for (const name of ['sdk', 'protocol', 'platform', 'gateway', 'harness-driver'])
    expect(await engine(join(modules, '@agent-relay', name))).toBe('>=24');
  // npm ci warns by what the lock file says.
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  for (const name of await readdir(join(ROOT, 'packages'))) {
    expect(await engine(join(ROOT, 'packages', name))).toBe('>=20');
    expect(packages[`packages/${name}`].engines).toEqual({ node: '>=20' });
  }
});

it('docs/install.md names every package to remove', async () => {
  const text = await readFile(join(ROOT, 'docs', 'install.md'), 'utf8');
  const [, names = ''] = /npm uninstall -g agent-relay @agent-relay\/\{(.*?)\}/.exec(text) ?? [];
  expect(names.split(',').sort()).toEqual((await readdir(join(modules, '@agent-relay'))).sort());
});

const COMMANDS = { 'agent-relay': 'agent-relay', 'agent-relay-mcp': '@agent-relay/mcp' };

async function command(program: keyof typeof COMMANDS, args: string[], node = process.execPath) {
  const script = join(modules, COMMANDS[program], 'bin', `${program}.js`);
  const running = run(node, [script, ...args], { env: sandbox.env, cwd: sandbox.projectDirectory });
  running.child.stdin?.end();
  return await running.catch((error: { stdout: string; stderr: string; code: number }) => error);
}

it.each([
  'agent-relay',
  '@agent-relay/mcp',
  '@agent-relay/sdk',
  '@agent-relay/protocol',
  '@agent-relay/gateway',
  '@agent-relay/harness-driver',
])('%s contains JavaScript and types, and nothing else of the checkout', async (name) => {
  const files = await readdir(join(modules, name), { recursive: true });
  const own = files.filter((file) => !file.startsWith('node_modules'));
  expect(own.filter((file) => /\.test\.|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  expect(own).toContain('LICENSE');
  expect(own.filter((file) => file.endsWith('.json'))).toEqual(['package.json']);
  const manifest = await readFile(join(modules, name, 'package.json'), 'utf8');
  expect(manifest).not.toMatch(/private|scripts|devDependencies/);
  // Every door of the package leads to a file.
  const doors = manifest.match(/(?<="\.\/)(src|bin)\/[^"]+/g) ?? [];
  expect(doors).not.toEqual([]);
  expect(own).toEqual(expect.arrayContaining(doors));
});

describe.each([
  ['this Node', process.execPath],
  ['an older Node', older],
])('the installed programs, on %s', (_which, node) => {
  it.skipIf(node === undefined)('have help', async () => {
    expect((await command('agent-relay', ['--version'], node)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await command('agent-relay-mcp', ['--help'], node)).stdout).toContain('agent-relay-mcp serve');
  });

  it.skipIf(node === undefined)('serve, send and keep messages', async () => {
    expect(await command('agent-relay', ['daemon', 'start'], node)).toMatchObject({ stderr: '' });
    const sent = await command('agent-relay', ['send', '*', 'from a package', '--as', 'Alice'], node);
    expect(sent.stdout).toContain('Message sent to *');
    expect((await command('agent-relay', ['history'], node)).stdout).toContain('from a package');
    expect(await command('agent-relay-mcp', ['serve'], node)).toMatchObject({ stdout: '', stderr: '' });
    expect(await command('agent-relay', ['mcp'], node)).toMatchObject({ stdout: '', stderr: '' });
    expect((await command('agent-relay', ['daemon', 'stop'], node)).stdout).toContain('stopped');
  });

  it.skipIf(node === undefined)('can run an agent in a terminal', async () => {
    expect((await command('agent-relay', ['run', '--', 'cat'], node)).stderr).toContain('needs a terminal');
  });

  it.skipIf(node === undefined)('add themselves to clients by their installed path', async () => {
    const { stdout } = await command('agent-relay-mcp', ['install', '--dry-run', '-e', 'claude'], node);
    expect(stdout).toContain(join(modules, '@agent-relay/mcp', 'bin', 'agent-relay-mcp.js'));
  });
});

it('are libraries that other programs can import', async () => {
  const script = `
    const { connect } = await import('@agent-relay/sdk/node');
    const { createServer, serveStdio } = await import('@agent-relay/mcp');
    const { runInstall } = await import('@agent-relay/mcp/install');
    const { parseAddress } = await import('@agent-relay/protocol');
    console.log([connect, createServer, serveStdio, runInstall, parseAddress].map((each) => typeof each).join());`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: dirname(modules),
  });
  expect(stdout).toBe('function,function,function,function,function\n');
});

it.skipIf(older === undefined)(
  'report in one sentence that Node is too old, if npm installed no other',
  async () => {
    await rm(join(modules, 'agent-relay', 'node_modules'), { recursive: true });
    const refused = await command('agent-relay', ['who'], older);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^error: agent-relay needs Node 24 or newer; .*\n$/);
  },
);
