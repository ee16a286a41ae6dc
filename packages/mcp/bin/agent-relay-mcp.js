#!/usr/bin/env node
import nodeModule from 'node:module';
import { isFresh } from '@agent-relay/sdk/fresh-bundle';
import { runOnNode } from '@agent-relay/sdk/run-on-node';

runOnNode(import.meta.url, async ([command, ...args]) => {
  const serves = command === 'serve';
  const { main } = await (serves ? serveCommand() : import('../src/cli/main.ts'));
  // Clients end their servers by a signal, and then nothing is written at exit any more.
  setImmediate(() => nodeModule.flushCompileCache());
  await main(serves ? args : process.argv.slice(2));
});

/** Clients wait for the server at each start. */
function serveCommand() {
  const isBundled = isFresh(new URL('../dist/cli/serve.js', import.meta.url));
  return isBundled ? import('../dist/cli/serve.js') : import('../src/cli/serve.ts');
}
