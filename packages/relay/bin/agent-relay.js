#!/usr/bin/env node
import { isFresh } from '@agent-relay/sdk/fresh-bundle';
import { runOnNode } from '@agent-relay/sdk/run-on-node';

runOnNode(import.meta.url, async (args) => {
  const isBundled = isFresh(new URL('../dist/cli/main.js', import.meta.url));
  const { main } = await (isBundled ? import('../dist/cli/main.js') : import('../src/cli/main.ts'));
  await main(args);
});
