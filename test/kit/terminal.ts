import * as pty from '@lydell/node-pty';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import xterm from '@xterm/headless';

export interface TerminalOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
  columns?: number;
  rows?: number;
}

/** A program in a real terminal, as a person has it: what is on the screen, and keys. */
export interface TestTerminal extends AsyncDisposable {
  readonly pid: number;
  /** The text that is on the screen now. */
  screen(): string;
  /** Everything that came, as it came. */
  readonly output: () => string;
  /** The same with its times, and when the size changed. */
  readonly recording: ReadonlyArray<RecordedOutput>;
  type(keys: string | Buffer): void;
  resize(columns: number, rows: number): void;
  /** Resolves when the screen shows the pattern, or when `holds` is true of it; rejects at the deadline. */
  until(wanted: RegExp | ((screen: string) => boolean), withinMs?: number): Promise<void>;
  readonly emulator: xterm.Terminal;
  readonly exited: Promise<{ exitCode: number; signal?: number }>;
}

export interface RecordedOutput {
  /** Milliseconds since the start. */
  at: number;
  event: Buffer | { columns: number; rows: number };
}

const DEADLINE_MS = 30_000;

/** Programs end with the tests that started them. */
const alive = new Set<number>();
process.on('exit', () => {
  for (const pid of alive) process.kill(pid, 'SIGKILL');
});

export function startTerminal(
  [file = '', ...args]: string[],
  { env, cwd, columns = 120, rows = 40 }: TerminalOptions,
): TestTerminal {
  const child = pty.spawn(file, args, {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env,
    encoding: null,
  });
  alive.add(child.pid);
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 2000, allowProposedApi: true });
  emulator.loadAddon(new UnicodeGraphemesAddon());
  const bytes: Buffer[] = [];
  const startedAt = performance.now();
  const recording: RecordedOutput[] = [{ at: 0, event: { columns, rows } }];
  const record = (event: RecordedOutput['event']) =>
    recording.push({ at: Math.round(performance.now() - startedAt), event });
  const watchers = new Set<() => void>();
  child.onData((data) => {
    const chunk = data as unknown as Buffer;
    bytes.push(chunk);
    record(chunk);
    emulator.write(chunk, () => {
      for (const look of watchers) look();
    });
  });
  // A terminal answers what programs ask it.
  emulator.onData((answer) => child.write(answer));
  const exited = new Promise<{ exitCode: number; signal?: number }>((resolve) => child.onExit(resolve));
  exited.then(() => alive.delete(child.pid));
  const screen = () => {
    const { active } = emulator.buffer;
    const lines = Array.from(
      { length: emulator.rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '',
    );
    return lines.join('\n');
  };
  return {
    pid: child.pid,
    screen,
    output: () => Buffer.concat(bytes).toString(),
    recording,
    type: (keys) => child.write(keys),
    resize(newColumns, newRows) {
      record({ columns: newColumns, rows: newRows });
      emulator.resize(newColumns, newRows);
      child.resize(newColumns, newRows);
    },
    until: (wanted, withinMs = DEADLINE_MS) =>
      new Promise((resolve, reject) => {
        const holds = typeof wanted === 'function' ? wanted : (text: string) => wanted.test(text);
        const done = (finish: () => void) => {
          watchers.delete(look);
          clearTimeout(deadline);
          finish();
        };
        const look = () => {
          if (holds(screen())) done(resolve);
        };
        const deadline = setTimeout(
          () => done(() => reject(new Error(`The screen never showed ${wanted}:\n${screen()}`))),
          withinMs,
        );
        watchers.add(look);
        look();
      }),
    emulator,
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
