import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('./slow-sync.c', import.meta.url));

/**
 * The environment in which the syncs of a program take `delayMs` longer; undefined if it cannot be built here.
 * Unlike strace, which stops a program at each of its system calls, it delays nothing else: good for measuring.
 */
export function slowSyncEnvironment(directory: string, delayMs: number): { LD_PRELOAD: string } | undefined {
  const library = join(directory, 'slow-sync.so');
  const flags = ['-shared', '-fPIC', `-DSLOW_SYNC_MS=${delayMs}`, '-o', library, SOURCE, '-ldl'];
  return spawnSync('cc', flags).status === 0 ? { LD_PRELOAD: library } : undefined;
}
