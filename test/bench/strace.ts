import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Why system calls cannot be watched or slowed down here; undefined when they can. */
export function whyNoStrace(): string | undefined {
  return spawnSync('strace', ['-V']).error ? 'install the package strace' : undefined;
}

/** Watches all threads of a running process until the result is disposed of. */
export async function attachStrace(pid: number, args: string[]): Promise<AsyncDisposable> {
  const strace = spawn('strace', ['-f', '-p', `${pid}`, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(strace, 'exit');
  let said = '';
  const attached = new Promise<void>((resolve) => {
    strace.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('attached')) resolve();
    });
  });
  const refused = exited.then(() => {
    throw new Error(`strace ended: ${said}`);
  });
  await Promise.race([attached, refused]);
  refused.catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      strace.kill('SIGTERM');
      await exited;
    },
  };
}

/** Makes every sync of a running process take `delayMs` longer until the result is disposed of. */
export const slowDisk = (pid: number, delayMs: number): Promise<AsyncDisposable> => {
  const calls = 'fsync,fdatasync';
  const inject = `inject=${calls}:delay_exit=${delayMs * 1000}`;
  return attachStrace(pid, ['-e', `trace=${calls}`, '-e', inject, '-o', '/dev/null']);
};
