import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

const PROGRAM = createRequire(import.meta.url).resolve('@agent-relay/harness-driver/session-guard');

/**
 * A small process beside this one that ends a program, and all that was started in its terminal, if this process ends
 * without having done so: killed, or crashed. The end of its input tells it.
 */
export class SessionGuard {
  // In a session of its own, so that no signal for our terminal or our group reaches it.
  readonly #process = spawn('/bin/sh', [PROGRAM], {
    cwd: '/',
    env: { PATH: process.env.PATH },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });

  constructor() {
    // Without it programs are only told that their terminal is closed, which ends most of them.
    this.#process.on('error', () => undefined);
    this.#process.stdin.on('error', () => undefined);
    this.#process.unref();
  }

  /** The program is the leader of the session in its terminal. */
  watch(program: number): void {
    this.#process.stdin.write(`${program}\n`);
  }

  /** The program has ended. */
  dismiss(): void {
    this.#process.kill('SIGKILL');
  }
}
