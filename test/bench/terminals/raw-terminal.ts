import * as pty from '@lydell/node-pty';

/** A program in a bare terminal, without anything that reads its output. */
export interface RawTerminal extends AsyncDisposable {
  readonly pid: number;
  write(keys: string): void;
  /** Resolves when this many bytes have arrived since the last call. */
  bytes(count: number): Promise<void>;
}

export function startRaw([file = '', ...args]: string[], env: NodeJS.ProcessEnv, cwd: string): RawTerminal {
  const child = pty.spawn(file, args, { cols: 120, rows: 40, cwd, env, encoding: null });
  let total = 0;
  let read = 0;
  let wake: (() => void) | undefined;
  child.onData((data) => {
    total += data.length;
    wake?.();
  });
  const exited = new Promise<void>((resolve) => child.onExit(() => resolve()));
  return {
    pid: child.pid,
    write: (keys) => child.write(keys),
    async bytes(count) {
      while (total - read < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      read += count;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
