// Puts the server and everything it imports into one file: it starts in about half the time.
import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const place = (path) => fileURLToPath(new URL(path, import.meta.url));
const bundle = place('dist/serve.js');
const list = place('dist/serve.sources.json');
/** Of its own: two builds may run at the same time. */
const draft = (file) => `${file}.${process.pid}`;

/** The schema library carries its messages in forty languages; ours are English. */
const withoutTranslations = {
  name: 'without-translations',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: '' }));
  },
};

const { metafile } = await build({
  absWorkingDir: place('..'),
  metafile: true,
  entryPoints: [place('src/cli/serve.ts')],
  outfile: draft(bundle),
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  plugins: [withoutTranslations],
  // Some dependencies are CommonJS and ask for built-in modules by `require`.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
});
// What the bundle was made from: it is not used any more when one of these is newer.
const sources = Object.keys(metafile.inputs).filter((file) => !file.startsWith('..'));
await writeFile(draft(list), JSON.stringify(sources));
// A server that starts at this moment finds the old file or the new one.
for (const file of [list, bundle]) await rename(draft(file), file);
