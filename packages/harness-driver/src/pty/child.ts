import { constants } from 'node:os';
import { type IPty, spawn } from '@agent-relay/harness-driver/pty';
import { holdOpen } from './hold-open.ts';
import { asJob, HAS_JOBS, Job } from './job.ts';
import { PtyWriter } from './pty-writer.ts';
import { SessionGuard } from './session-guard.ts';

export interface ChildOptions {
  /** An absolute path, already looked up in PATH. */
  file: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  columns: number;
  rows: number;
  /** Run it as a job that can be stopped, as with Ctrl-Z; Linux only. */
  isJob?: boolean | undefined;
}

export interface ChildEnd {
  code: number;
  signal?: NodeJS.Signals;
}

/** A program in a pseudo-terminal of its own, as bytes. It does not outlive this process. */
export class Child {
  readonly pid: number;
  /** Resolves when the program has ended and everything it wrote has been passed on. */
  readonly ended: Promise<ChildEnd>;
  readonly #pty: IPty;
  readonly #writer: PtyWriter;
  readonly #job: Job | undefined;
  /** It was stopped. */
  onStopped: () => void = () => undefined;

  constructor(
    { file, args, cwd, env, columns, rows, isJob: isWanted = false }: ChildOptions,
    onOutput: (bytes: Buffer) => void,
  ) {
    const isJob = isWanted && HAS_JOBS;
    const [command, words] = isJob ? asJob(file, args) : [file, [...args]];
    const name = env.TERM || 'xterm-256color';
    this.#pty = spawn(command, words, { name, cwd, env, cols: columns, rows, encoding: null });
    this.pid = this.#pty.pid;
    const guard = new SessionGuard(this.pid, descriptorOf(this.#pty));
    this.#job = isJob ? new Job(this.pid, () => this.onStopped()) : undefined;
    holdOpen(terminalOf(this.#pty), this.pid);
    this.#writer = new PtyWriter(descriptorOf(this.#pty));
    // Without an encoding it returns buffers, although its types say strings.
    this.#pty.onData((data) => onOutput(data as unknown as Buffer));
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#writer.close();
        this.#job?.close();
        guard.dismiss();
        // The shell above a job says by its own code which signal ended the job.
        const ofJob = isJob && exitCode > 128 ? exitCode - 128 : undefined;
        const name = signalNamed(signal || ofJob);
        resolve(name === undefined ? { code: exitCode } : { code: 0, signal: name });
      });
    });
  }

  /** Writes bytes to the program at once, or as soon as it reads. */
  write(bytes: Uint8Array | string): void {
    this.#writer.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows);
  }

  /** Stops reading the program's output, which blocks the program once the terminal's buffer is full. */
  pause(): void {
    this.#pty.pause();
  }

  resume(): void {
    this.#pty.resume();
  }

  /** Signals the program and everything it started in the same group. */
  signal(name: NodeJS.Signals): void {
    try {
      process.kill(-(this.#job?.receiverOf(name) ?? this.pid), name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** The descriptor of the terminal's other end, which the library's types omit; its own writes would not keep the order. */
function descriptorOf(terminal: IPty): number {
  const { fd } = terminal as IPty & { fd?: unknown };
  if (typeof fd !== 'number') throw new Error('the pseudo-terminal has no file descriptor');
  return fd;
}

/** The device of the program's end; not in the types either. */
function terminalOf(terminal: IPty): string {
  const { ptsName } = terminal as IPty & { ptsName?: unknown };
  if (typeof ptsName !== 'string') throw new Error('the pseudo-terminal has no name');
  return ptsName;
}

function signalNamed(number: number | undefined): NodeJS.Signals | undefined {
  if (!number) return undefined;
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] as NodeJS.Signals | undefined;
}
