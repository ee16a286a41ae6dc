import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Node compiles TypeScript anew for each process and each thread of a store: with a cache of the results the tests take
// half the processor time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

export default defineConfig({
  test: {
    // Suites start real daemons and wait for them, each in its turn: others use what these leave of two cores.
    maxWorkers: 4,
    // A net for what hangs, wide enough for a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: 'packages', include: ['packages/*/src/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'programs', include: ['test/**/*.test.ts'], globalSetup: 'test/kit/fresh-programs.ts' },
      },
    ],
  },
});
