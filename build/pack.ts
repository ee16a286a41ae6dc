// Packs every package as it is published: npm run pack [-- <directory for the tarballs>]
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const target = resolve(process.argv[2] ?? join(ROOT, 'dist'));
const OUTPUT = join(target, 'packages');

const LIBRARY_ENGINES = { node: '>=24' };

interface Manifest {
  private?: boolean;
  bin?: Record<string, string>;
  exports?: Record<string, string>;
  scripts?: unknown;
  devDependencies?: unknown;
  optionalDependencies?: Record<string, string>;
  engines?: Record<string, string>;
  files?: string[];
}

const readManifest = async (directory: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));

await rm(OUTPUT, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await removeOldTarballs();
say('Compiling…');
await compile();
say('Bundling…');
await run(process.execPath, [join(import.meta.dirname, 'bundle.js')]);
const root = await readManifest(ROOT);
for (const name of await readdir(join(ROOT, 'packages'))) if (await isPublished(name)) await pack(name);
// Together: npm would look for missing ones in the registry, where these names are not ours.
say(`Install them together with: npm install -g ${shown(join(target, '*.tgz'))}`);

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A path relative to the current directory, as typed in a shell. */
function shown(path: string): string {
  const below = relative(process.cwd(), path);
  return below.startsWith('..') ? path : `.${sep}${below}`;
}

/** Tarballs of other versions would be installed too. */
async function removeOldTarballs(): Promise<void> {
  for (const file of await readdir(target)) {
    if (/^agent-relay-.*\.tgz$/.test(file)) await rm(join(target, file));
  }
}

/** Node does not run TypeScript inside node_modules. */
async function compile(): Promise<void> {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['-p', import.meta.dirname, '--outDir', OUTPUT, '--listFiles'];
  const { stdout } = await run(process.execPath, [compiler, ...options]);
  const packages = join(ROOT, 'packages') + sep;
  const sources = stdout.split('\n').filter((file) => file.startsWith(packages) && !file.endsWith('.d.ts'));
  const missing = sources.filter((file) => {
    const path = file.slice(packages.length).replace(/\.ts$/, '.js');
    return !existsSync(join(OUTPUT, path));
  });
  if (sources.length === 0 || missing.length > 0) {
    throw new Error(`not compiled: ${missing.join(', ') || 'anything'}`);
  }
}

/** One without doors or programs is built into another package. */
async function isPublished(name: string): Promise<boolean> {
  const { bin, exports } = await readManifest(join(ROOT, 'packages', name));
  return bin !== undefined || exports !== undefined;
}

async function pack(name: string): Promise<void> {
  const [source, output] = [join(ROOT, 'packages', name), join(OUTPUT, name)];
  const manifest = published(await readManifest(source));
  await writeFile(join(output, 'package.json'), JSON.stringify(manifest, null, 2));
  await cp(join(ROOT, 'LICENSE'), join(output, 'LICENSE'));
  for (const folder of await readdir(source)) {
    if (folder === 'bin') await copyScripts(join(source, folder), join(output, folder));
    if (folder === 'dist') await cp(join(source, folder), join(output, folder), { recursive: true });
  }
  const { stdout } = await run('npm', ['pack', '--pack-destination', target], { cwd: output });
  say(shown(join(target, stdout.trim().split('\n').at(-1) ?? '')));
}

/** Scripts import TypeScript sources; in a package these are compiled. */
async function copyScripts(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const file of await readdir(from)) {
    const script = await readFile(join(from, file), 'utf8');
    await writeFile(join(to, file), script.replace(/(import\('\.\.\/src\/.*)\.ts'/g, "$1.js'"), {
      mode: 0o755,
    });
  }
}

/** A program depends on the Node it needs, for users with an older one; a library runs on the user's Node. */
function published({ private: _source, scripts, devDependencies, ...manifest }: Manifest): Manifest {
  const doors = Object.entries(manifest.exports ?? {}).map(([door, file]) => [door, compiled(file)]);
  const { optionalDependencies = {}, engines = {} } = root;
  return {
    ...manifest,
    ...(manifest.exports ? { exports: Object.fromEntries(doors) } : {}),
    ...(manifest.bin ? { optionalDependencies, engines } : { engines: LIBRARY_ENGINES }),
    files: manifest.files ?? ['bin', 'src'],
  };
}

function compiled(file: string): string | { types: string; default: string } {
  const [, path] = /^(.*)\.ts$/.exec(file) ?? [];
  return path === undefined ? file : { types: `${path}.d.ts`, default: `${path}.js` };
}
