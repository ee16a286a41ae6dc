import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';

const PROGRAM = createRequire(import.meta.url).resolve('@agent-relay/harness-driver/session-guard');

/**
 * A small process beside this one that ends a program, and all that it runs, if this process ends without having done so:
 * killed, or crashed. The end of its input tells it. It holds the terminal open too, so that it can see what the program runs
 * before the program learns that its terminal is gone.
 */
export class SessionGuard {
  readonly #process: ChildProcess;

  /** The program is the leader of the session in the terminal. */
  constructor(program: number, terminal: number) {
    this.#process = spawn('/bin/sh', [PROGRAM, String(program)], {
      cwd: '/',
      env: { PATH: process.env.PATH },
      // In a session of its own, so that no signal for our terminal or our group reaches it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore', terminal],
    });
    // Without it programs are only told that their terminal is closed, which ends most of them.
    this.#process.on('error', () => undefined);
    this.#process.stdin?.on('error', () => undefined);
    this.#process.unref();
  }

  /** The program has ended. */
  dismiss(): void {
    this.#process.kill('SIGKILL');
  }
}
