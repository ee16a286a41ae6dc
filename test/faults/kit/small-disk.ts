import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CannotRun } from '../fault.ts';

const PAGE_BYTES = 4096;

/** A separate disk in memory, which only root can mount. */
export function mountSmallDisk(bytes: number): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'relay-disk-'));
  const { status, stderr, error } = spawnSync(
    'mount',
    ['-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'tmpfs', path],
    { encoding: 'utf8' },
  );
  if (status !== 0) {
    rmSync(path, { recursive: true });
    throw new CannotRun(`needs root to mount a small disk (${error?.message ?? stderr.trim()})`);
  }
  const unmount = () => {
    spawnSync('umount', ['--lazy', path]);
    rmSync(path, { recursive: true, force: true });
  };
  // Also if the run is interrupted.
  process.once('exit', unmount);
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', unmount);
      unmount();
    },
  };
}

/** Takes what is left of the disk. */
export function fill(file: string): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(PAGE_BYTES));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
