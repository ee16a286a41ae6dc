import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { descendantsOf } from '@agent-relay/platform/processes';

const PROGRAM = createRequire(import.meta.url).resolve('@agent-relay/harness-driver/job');

/** Whether a program can be stopped and brought back. */
export const HAS_JOBS = process.platform === 'linux';

/** What runs a program with a process above it, which brings it back after it was stopped. */
export const asJob = (file: string, args: readonly string[]): [file: string, args: string[]] => [
  '/bin/sh',
  [PROGRAM, file, ...args],
];

/** A program below `job.sh`, which stops when the program does. */
export class Job {
  readonly #leader: number;
  readonly #onStopped: () => void;
  #isStopped = false;

  constructor(leader: number, onStopped: () => void) {
    this.#leader = leader;
    this.#onStopped = onStopped;
    // Also when a child is stopped or goes on.
    process.on('SIGCHLD', this.#look);
  }

  /** The process whose group gets a signal: the program's, except to bring it back. */
  receiverOf(signal: NodeJS.Signals): number {
    if (signal !== 'SIGCONT') return descendantsOf(this.#leader)[0]?.pid ?? this.#leader;
    this.#isStopped = false;
    return this.#leader;
  }

  close(): void {
    process.off('SIGCHLD', this.#look);
  }

  readonly #look = (): void => {
    const wasStopped = this.#isStopped;
    this.#isStopped = stateOf(this.#leader) === 'T';
    if (this.#isStopped && !wasStopped) this.#onStopped();
  };
}

function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2];
  } catch {
    // It has ended.
    return undefined;
  }
}
