import nodeModule from 'node:module';
import { isFresh } from '@agent-relay/sdk/fresh-bundle';

/** Serves the client that started this process, from the bundle if it is fresh: clients wait at each start. */
export async function serve(tools) {
  await (await loadServe()).serve(tools);
}

export async function loadServe() {
  const isBundled = isFresh(new URL('../dist/cli/serve.js', import.meta.url));
  const loaded = await (isBundled ? import('../dist/cli/serve.js') : import('../src/cli/serve.ts'));
  // Clients end their servers with a signal, and then nothing is written at exit.
  setImmediate(() => nodeModule.flushCompileCache());
  return loaded;
}
