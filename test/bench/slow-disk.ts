import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Why the disk of a process cannot be slowed down here; undefined when it can. */
export function whyNoStrace(): string | undefined {
  return spawnSync('strace', ['-V']).error ? 'install the package strace' : undefined;
}

/** Makes every sync of a running process take `delayMs` longer until the result is disposed of. */
export async function slowDisk(pid: number, delayMs: number): Promise<AsyncDisposable> {
  const calls = 'fsync,fdatasync';
  const inject = `inject=${calls}:delay_exit=${delayMs * 1000}`;
  const strace = spawn(
    'strace',
    ['-f', '-p', `${pid}`, '-e', `trace=${calls}`, '-e', inject, '-o', '/dev/null'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const exited = once(strace, 'exit');
  let said = '';
  await Promise.race([
    new Promise<void>((attached) => {
      strace.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (/attached/.test(said)) attached();
      });
    }),
    exited.then(() => {
      throw new Error(`strace ended: ${said}`);
    }),
  ]);
  return {
    async [Symbol.asyncDispose]() {
      strace.kill('SIGTERM');
      await exited;
    },
  };
}
