#!/usr/bin/env node
import { runOnNode } from '@agent-relay/sdk/run-on-node';

runOnNode(import.meta.url, async (args) => {
  const { main } = await import('../src/cli/main.ts');
  await main(args);
});
