import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDaemon, isLocked, takeLock } from './lock.ts';

let directory: string;
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'relay-lock-')), 'data');
});
afterEach(() => rm(join(directory, '..'), { recursive: true }));

const record = { pid: process.pid, version: '1.0.0', startedAt: 1, flags: {} };

/** Another process that holds the lock. */
async function holder() {
  const script = `
    const { takeLock } = await import(${JSON.stringify(new URL('./lock.ts', import.meta.url).href)});
    const lock = await takeLock(${JSON.stringify(directory)});
    await lock.publish({ pid: process.pid, version: '1.0.0', startedAt: 1, flags: {} });
    process.send('locked');
    setInterval(() => undefined, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

describe('the lock of a data directory', () => {
  it('is held by one daemon at a time', async () => {
    const first = await takeLock(directory);
    expect(isLocked(directory)).toBe(true);
    await expect(takeLock(directory)).rejects.toMatchObject({ code: 'DaemonRunning' });
    await first.release();
    expect(isLocked(directory)).toBe(false);
    await (await takeLock(directory)).release();
  });

  it('is visible to other processes, and released when its process is killed', async () => {
    const child = await holder();
    expect(await findDaemon(directory)).toEqual({
      pid: child.pid,
      version: '1.0.0',
      startedAt: 1,
      flags: {},
    });
    await expect(takeLock(directory)).rejects.toMatchObject({ code: 'DaemonRunning' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    // The record still exists, but is no longer trusted.
    expect((await stat(join(directory, 'daemon.json'))).mode & 0o777).toBe(0o600);
    expect(await findDaemon(directory)).toBeUndefined();
    await (await takeLock(directory)).release();
  });

  it('distinguishes a starting daemon from a ready one', async () => {
    await mkdir(directory);
    await writeFile(join(directory, 'daemon.json'), '{"pid": 1}');
    const lock = await takeLock(directory);
    expect(await findDaemon(directory)).toBe('starting');
    await lock.publish(record);
    expect(await findDaemon(directory)).toEqual(record);
    await lock.release();
  });

  it('is not affected by processes that check it', async () => {
    const lock = await takeLock(directory);
    for (let look = 0; look < 20; look++) expect(isLocked(directory)).toBe(true);
    const child = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `const { isLocked } = await import(${JSON.stringify(new URL('./lock.ts', import.meta.url).href)});
       process.exitCode = isLocked(${JSON.stringify(directory)}) ? 0 : 1;`,
    ]);
    expect((await once(child, 'exit'))[0]).toBe(0);
    await lock.release();
  });

  it('makes the directory private', async () => {
    await mkdir(directory);
    await chmod(directory, 0o755);
    const lock = await takeLock(directory);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, 'daemon.lock'))).mode & 0o777).toBe(0o600);
    await lock.release();
  });
});
