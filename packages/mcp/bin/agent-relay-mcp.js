#!/usr/bin/env node
import { runOnNode } from '@agent-relay/sdk/run-on-node';

runOnNode(import.meta.url, async ([command, ...args]) => {
  if (command === 'serve' && !args.some((arg) => arg === '-h' || arg === '--help')) {
    const { loadServe } = await import('./serve.js');
    return (await loadServe()).main(args);
  }
  const { main } = await import('../src/cli/main.ts');
  await main(process.argv.slice(2));
});
