import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    // Suites start real daemons and wait for them, each in its turn: a third file uses what two of them leave of two cores.
    maxWorkers: 3,
    // A net for what hangs, wide enough for a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
