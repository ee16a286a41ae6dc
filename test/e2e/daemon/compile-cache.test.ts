import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon } from '../../kit/daemon.ts';
import { eventually } from '../../kit/eventually.ts';
import { olderNode } from '../../kit/older-node.ts';

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
/** Two modules of the same length: V8 accepts the cache of one for the other. */
const PLANTED = "console.log('planted');\n";
const HONEST = "console.log('honest!');\n";

let directory: string;
let home: string;
let caches: string;
let own: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-cache-'));
  home = join(directory, 'home');
  caches = join(home, '.cache');
  own = join(caches, 'agent-relay-compiled');
  await mkdir(home, 0o700);
  const runner = JSON.stringify(file('packages/sdk/bin/run-on-node.js'));
  await writeFile(
    join(directory, 'program.mjs'),
    `import { runOnNode } from ${runner};\nrunOnNode(import.meta.url, () => import('./module.mjs'));\n`,
  );
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Runs the program; returns everything it says. */
async function run(env: NodeJS.ProcessEnv = {}, node = process.execPath): Promise<string> {
  // Node makes what NODE_COMPILE_CACHE names by itself.
  const words = ['-c', 'umask 022; exec "$@"', 'sh', node, join(directory, 'program.mjs')];
  const child = spawn('sh', words, { env: { HOME: home, ...env } });
  const [said, complained] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close').then(() => undefined),
  ]);
  return said + complained;
}

/** Where a file of the cache has the hash of its source. */
const CODE_HASH = 12;

async function filesIn(cache: string): Promise<string[]> {
  const entries = await readdir(cache, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Puts code in the cache that runs in place of the module, as a user with write access could. */
async function plant(cache: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const module = join(directory, 'module.mjs');
  await writeFile(module, PLANTED);
  expect(await run(env)).toBe('planted\n');
  await writeFile(module, HONEST);
  for (const path of await filesIn(cache)) {
    const kept = await readFile(path);
    if (kept.readUInt32LE(CODE_HASH) !== crc32(PLANTED)) continue;
    kept.writeUInt32LE(crc32(HONEST), CODE_HASH);
    await writeFile(path, kept);
  }
  // Otherwise the tests below would show nothing.
  expect(await run(env)).toBe('planted\n');
}

describe('the cache of compiled code', () => {
  it('is private to its owner', async () => {
    await plant(own);
    for (const path of [caches, own, ...(await readdir(own)).map((name) => join(own, name))])
      expect([path, (await stat(path)).mode & 0o777]).toEqual([path, 0o700]);
  });

  describe.each([
    ['group', 0o770],
    ['everybody', 0o777],
  ])('that %s can write to', (_who, mode) => {
    it.each([
      ['itself', () => own],
      ['above it', () => caches],
      ['at home', () => home],
    ])('%s is not used', async (_where, path) => {
      await plant(own);
      await chmod(path(), mode);
      expect(await run()).toBe('honest!\n');
    });
  });

  it('that was writable by others once is never used again', async () => {
    await plant(own);
    await chmod(own, 0o777);
    await run();
    const [aside = ''] = (await readdir(caches)).filter((name) => name.includes('.open-'));
    await chmod(join(caches, aside), 0o700);
    expect(await run()).toBe('honest!\n');
    expect((await stat(own)).mode & 0o777).toBe(0o700);
  });

  it('behind a link is used only if nobody can replace its target', async () => {
    await plant(own);
    const [open, elsewhere] = [join(directory, 'open'), join(directory, 'open', 'caches')];
    await mkdir(open, 0o700);
    await rename(caches, elsewhere);
    await symlink(elsewhere, caches);
    expect(await run()).toBe('planted\n');
    await chmod(open, 0o777);
    expect(await run()).toBe('honest!\n');
    await rm(caches);
    await symlink('.cache', caches);
    expect(await run()).toBe('honest!\n');
  });

  it('is skipped if it cannot be created', async () => {
    await writeFile(join(directory, 'module.mjs'), HONEST);
    await writeFile(caches, 'a file');
    expect(await run()).toBe('honest!\n');
  });

  it.skipIf(!isRoot)(
    'of another user is not used, nor created in a directory of theirs (needs root)',
    async () => {
      await plant(own);
      await lchown(own, NOBODY, NOBODY);
      expect(await run()).toBe('honest!\n');
      await rm(own, { recursive: true });
      await lchown(caches, NOBODY, NOBODY);
      expect(await run()).toBe('honest!\n');
      expect(await readdir(caches)).toEqual([]);
    },
  );

  it.skipIf(!isRoot)('behind a link of another user is not used (needs root)', async () => {
    await plant(own);
    await rename(caches, join(home, 'caches'));
    await symlink('caches', caches);
    await lchown(caches, NOBODY, NOBODY);
    expect(await run()).toBe('honest!\n');
  });
});

describe('a cache that NODE_COMPILE_CACHE names', () => {
  let given: string;
  beforeEach(() => {
    given = join(directory, 'given');
  });

  it('is used while it is private', async () => {
    const env = { NODE_COMPILE_CACHE: given };
    await plant(given, env);
    await chmod(given, 0o777);
    expect(await run(env)).toBe('honest!\n');
  });

  it.skipIf(!isRoot)('is not used if it has files of another user (needs root)', async () => {
    const env = { NODE_COMPILE_CACHE: given };
    await plant(given, env);
    for (const name of await readdir(given)) await lchown(join(given, name), NOBODY, NOBODY);
    expect(await run(env)).toBe('honest!\n');
  });

  const older = olderNode();
  it.skipIf(older === undefined)('is not passed on by an older Node if others can write to it', async () => {
    const env = { NODE_COMPILE_CACHE: given };
    await symlink(file('node_modules'), join(directory, 'node_modules'));
    await plant(given, env);
    expect(await run(env, older)).toBe('planted\n');
    await chmod(given, 0o777);
    expect(await run(env, older)).toBe('honest!\n');
  });
});

describe('the compile cache of a daemon', () => {
  it('is written as soon as it is ready, also for its threads, because it may be killed', async () => {
    await using daemon = await startDaemon({ env: { XDG_CACHE_HOME: caches } });
    /** As a bundle, or from the sources. */
    const isCached = async (sources: string[]) => {
      const hashes = await Promise.all(sources.map(async (path) => crc32(await readFile(file(path)))));
      const kept = await Promise.all((await filesIn(own)).map((path) => readFile(path)));
      return kept.some((entry) => hashes.includes(entry.readUInt32LE(CODE_HASH)));
    };
    for (const name of ['cli/main', 'store/sqlite/worker']) {
      const bundle = `packages/relay/dist/cli/${basename(name)}.js`;
      await eventually(() => isCached([bundle, `packages/relay/src/${name}.ts`]));
    }
    await daemon.kill9();
  });
});
