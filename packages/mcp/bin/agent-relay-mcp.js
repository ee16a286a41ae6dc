#!/usr/bin/env node
import { existsSync, readFileSync, statSync } from 'node:fs';
import nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runOnNode } from '@agent-relay/sdk/run-on-node';

const PACKAGE = dirname(dirname(fileURLToPath(import.meta.url)));

runOnNode(import.meta.url, async ([command, ...args]) => {
  const serves = command === 'serve';
  const { main } = await (serves ? serveCommand() : import('../src/cli/main.ts'));
  // Clients end their servers by a signal, and then nothing is written at exit any more.
  setImmediate(() => nodeModule.flushCompileCache());
  await main(serves ? args : process.argv.slice(2));
});

/** Clients wait for the server at each start: it is bundled, and only read from its sources while they change. */
function serveCommand() {
  const bundle = join(PACKAGE, 'dist', 'serve.js');
  return isFresh(bundle) ? import('../dist/serve.js') : import('../src/cli/serve.ts');
}

/** Whether the bundle is there and nothing it was made from is newer; an installed package has no list of that. */
function isFresh(bundle) {
  const built = statSync(bundle, { throwIfNoEntry: false });
  const list = join(PACKAGE, 'dist', 'serve.sources.json');
  if (built === undefined) return false;
  if (!existsSync(list)) return true;
  const sources = JSON.parse(readFileSync(list, 'utf8'));
  return sources.every((file) => {
    const source = statSync(join(dirname(PACKAGE), file), { throwIfNoEntry: false });
    return source !== undefined && source.mtimeMs <= built.mtimeMs;
  });
}
