import { execFile, spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CannotRun } from '../fault.ts';

const run = promisify(execFile);
const POLL_MS = 2;
const DEADLINE_MS = 20_000;
/** Ends a sequence that has begun; a device control string of tmux ends only at its terminator. */
const CANCEL = '\x18\x1b\\';
/** Asks whether the terminal is well, which it answers when everything before is done. */
const ASK = `${CANCEL}\x1b[5n`;
const ANSWER = '\x1b[0n';
const LAST_ASK = '\x1b[6n';
const LAST_ANSWER = 'R';
const RESTART = `${CANCEL}\x1bc\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?2004l\x1b[3J`;
const FLAGS = [
  ...[
    'insert',
    'origin',
    'wrap',
    'cursor',
    'keypad_cursor',
    'keypad',
    'mouse_any',
    'mouse_sgr',
    'mouse_utf8',
  ].map((flag) => `#{${flag}_flag}`),
  '#{alternate_on} #{scroll_region_upper} #{scroll_region_lower}',
].join(' ');
const REACTIONS = `#{pane_title}|#{window_name}|${FLAGS}`;

/** A pane of a tmux server of its own. Its program takes what the terminal answers, and writes nothing. */
export class TmuxPane implements AsyncDisposable {
  readonly #directory: string;
  readonly #size: { columns: number; rows: number };
  #terminal = -1;
  /** Answers read so far. */
  #read = 0;
  #atFirst = '';

  private constructor(directory: string, size: { columns: number; rows: number }) {
    this.#directory = directory;
    this.#size = size;
  }

  static async open(size: { columns: number; rows: number }): Promise<TmuxPane> {
    if (spawnSync('tmux', ['-V']).status !== 0) throw new CannotRun('tmux is not installed.');
    const pane = new TmuxPane(await mkdtemp(join(tmpdir(), 'relay-tmux-')), size);
    await pane.#start();
    return pane;
  }

  async #start(): Promise<void> {
    const { columns, rows } = this.#size;
    const program = `stty raw -echo; exec cat > '${this.#answers}'`;
    const where = ['-x', String(columns), '-y', String(rows)];
    await this.#tmux('new-session', '-d', '-n', 'usual', ...where, program);
    // What a sequence could reach at most.
    for (const [option, value] of [
      ['set-clipboard', 'on'],
      ['focus-events', 'off'],
    ] as const)
      await this.#tmux('set-option', '-s', option, value);
    for (const option of ['allow-rename', 'allow-passthrough'])
      await this.#tmux('set-option', '-gw', option, 'on');
    await this.#tmux('set-option', '-gw', 'automatic-rename', 'off');
    this.#terminal = openSync(await this.#tmux('display-message', '-p', '#{pane_tty}'), 'w');
    // The program has begun when an answer arrives: before that it is echoed, and asked again.
    await this.#until(async () => {
      writeSync(this.#terminal, ASK);
      return (await this.#newAnswers()).includes(ANSWER);
    });
    // The last answer is the only one of its kind: none is left of those before.
    writeSync(this.#terminal, LAST_ASK);
    await this.#until(async () => (await this.#newAnswers()).endsWith(LAST_ANSWER));
    this.#atFirst = await this.#facts();
  }

  /** What happened besides drawing; nothing if the pane is as it was. */
  async reaction(output: Uint8Array): Promise<string> {
    const answers = await this.#settled(output);
    const facts = await this.#facts();
    if (answers === '' && facts === this.#atFirst) return '';
    await this.#settled(`${RESTART}\x1b]2;\x1b\\`);
    return `answers ${JSON.stringify(answers)}, ${facts} instead of ${this.#atFirst}`;
  }

  /** What is on it, with its colours, if it gets nothing else. */
  async picture(output: Uint8Array): Promise<string> {
    await this.#settled(RESTART);
    await this.#settled(output);
    const picture = await this.#tmux(
      'capture-pane',
      '-p',
      '-e',
      ';',
      'display-message',
      '-p',
      '#{cursor_x}:#{cursor_y}',
    );
    return picture;
  }

  /** Writes, and resolves with what the terminal answered when it has done everything. */
  async #settled(output: Uint8Array | string): Promise<string> {
    writeAll(this.#terminal, typeof output === 'string' ? Buffer.from(output) : output);
    writeAll(this.#terminal, Buffer.from(ASK));
    let answers = '';
    await this.#until(async () => {
      answers += await this.#newAnswers();
      return answers.includes(ANSWER);
    });
    return answers.replace(ANSWER, '');
  }

  async #facts(): Promise<string> {
    return await this.#tmux('display-message', '-p', REACTIONS, ';', 'list-buffers');
  }

  get #answers(): string {
    return join(this.#directory, 'answers');
  }

  async #newAnswers(): Promise<string> {
    const all = await readFile(this.#answers, 'latin1').catch(() => '');
    const added = all.slice(this.#read);
    this.#read = all.length;
    return added;
  }

  async #until(holds: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    while (!(await holds())) {
      if (performance.now() > deadline) throw new Error('tmux did not answer.');
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async #tmux(...words: string[]): Promise<string> {
    const { TMUX: _inside, ...env } = process.env;
    const { stdout } = await run(
      'tmux',
      ['-S', join(this.#directory, 'socket'), '-f', '/dev/null', ...words],
      {
        env: { ...env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' },
      },
    );
    return stdout.trimEnd();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#terminal >= 0) closeSync(this.#terminal);
    await this.#tmux('kill-server');
    await rm(this.#directory, { recursive: true });
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
