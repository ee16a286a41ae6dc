// Bundles each program with everything it imports: it starts in half the time and needs half the memory.
// Runs automatically after `npm ci`, on any Node that npm runs on.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { build as buildPage } from 'vite';

const PACKAGES = fileURLToPath(new URL('../packages/', import.meta.url));

/** The schema library includes messages in forty languages; we only need English. */
const withoutTranslations = {
  name: 'without-translations',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: '' }));
  },
};

/** An `import` of this module makes Node read all that it exports, and so load its whole HTTP client. `require` does not. */
const withoutHttpClient = {
  name: 'without-http-client',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

await bundle('mcp', ['src/cli/serve.ts']);
await bundle('relay', ['src/cli/main.ts', 'src/store/sqlite/worker.ts']);
await page();

/** Bundles are as deep as the sources of the programs, so that relative paths still work. */
async function bundle(name, entries) {
  const home = join(PACKAGES, name);
  const { outputFiles, metafile } = await build({
    absWorkingDir: PACKAGES,
    entryPoints: entries.map((file) => join(home, file)),
    outdir: join(home, 'dist', 'cli'),
    entryNames: '[name]',
    write: false,
    metafile: true,
    bundle: true,
    splitting: entries.length > 1,
    // Keep names for stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    // The MCP server has its own bundle, and the terminal library has a native part: both are found next to
    // those scripts.
    external: ['pg-native', '@agent-relay/mcp/serve', '@agent-relay/harness-driver/pty'],
    plugins: [withoutTranslations, withoutHttpClient],
    // Some dependencies are CommonJS and load built-in modules with `require`.
    banner: { js: "import{createRequire as maker}from'node:module';const require=maker(import.meta.url);" },
  });
  // The sources of the bundle: it is not used if one of these is newer.
  const sources = Object.keys(metafile.inputs).filter((file) => !/^(\.\.|required:)/.test(file));
  const list = { path: join(home, 'dist', 'cli', 'sources.json'), contents: JSON.stringify(sources) };
  const isEntry = ({ path }) => entries.some((file) => basename(file, '.ts') === basename(path, '.js'));
  const parts = outputFiles.filter((file) => !isEntry(file));
  // A program that starts meanwhile finds all of the old files or all of the new ones.
  for (const file of [list, ...parts, ...outputFiles.filter(isEntry)]) await replace(file);
  await removeOthers(join(home, 'dist', 'cli'), new Set([list, ...outputFiles].map(({ path }) => path)));
}

/** The dashboard, into the package of the daemon that serves it. */
async function page() {
  const { version } = JSON.parse(await readFile(join(PACKAGES, 'relay', 'package.json'), 'utf8'));
  const { output } = await buildPage({
    root: join(PACKAGES, 'dashboard'),
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    base: './',
    define: { VERSION: JSON.stringify(version) },
    // Not what the environment says: a build of a test run would have the paths of the sources in it.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    resolve: { alias: { 'react/jsx-runtime': 'preact/jsx-runtime' } },
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      // On a busy machine it would warn during `npm ci` that this takes long.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  });
  const target = join(PACKAGES, 'relay', 'dist', 'page');
  const files = output.map((part) => ({
    path: join(target, part.fileName),
    contents: part.type === 'chunk' ? part.code : part.source,
  }));
  const isShell = ({ path }) => path.endsWith('.html');
  // The page last: it names the others.
  for (const file of [...files.filter((file) => !isShell(file)), ...files.filter(isShell)])
    await replace(file);
  await removeOthers(target, new Set(files.map(({ path }) => path)));
}

async function replace({ path, contents }) {
  // Unique, because two builds may run at the same time.
  const draft = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, contents);
  await rename(draft, path);
}

async function removeOthers(directory, kept) {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // Not the drafts of another build.
    if (entry.isFile() && /\.(js|css|html|svg)$/.test(path) && !kept.has(path))
      await rm(path, { force: true });
  }
}
