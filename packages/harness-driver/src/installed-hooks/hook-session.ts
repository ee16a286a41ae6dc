import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateDirectory, isMissing, readIfThere, writeAtomically } from '@agent-relay/platform';
import { isAlive, processMark } from '@agent-relay/platform/processes';
import { dataDirectory, type Environment } from '@agent-relay/sdk/node';
import { Claimant } from './claimant.ts';
import { KnownHang } from './known-hang.ts';

/** How much of the end of a transcript is searched. */
const MOST_BYTES = 1024 * 1024;

/**
 * State shared by the short-lived hook processes of one CLI session. Several run at the same time, so there is one empty
 * file for each message: nobody overwrites what another one has noted.
 */
export class HookSession {
  readonly hang: KnownHang;
  readonly #directory: string;
  readonly #key: string;
  readonly #prefix: string;
  readonly #lock: string;

  private constructor(directory: string, key: string, env: Environment) {
    this.hang = new KnownHang(directory, env);
    this.#directory = directory;
    this.#key = key;
    this.#prefix = `${key}.handed.`;
    this.#lock = join(directory, `${key}.lock`);
  }

  static async open(cli: string, id: string, env: Environment): Promise<HookSession> {
    const directory = join(dataDirectory(env), 'hooks');
    await ensurePrivateDirectory(dataDirectory(env));
    await ensurePrivateDirectory(directory);
    return new HookSession(
      directory,
      createHash('sha256').update(`${cli}\0${id}`).digest('hex').slice(0, 32),
      env,
    );
  }

  claimant(): Promise<Claimant> {
    return Claimant.open(this.#directory, this.#key);
  }

  /** These are given to the CLI; nobody has seen them in its context yet. */
  async handOver(ids: readonly string[]): Promise<void> {
    for (const id of ids) await writeFile(this.#noteOf(id), '', { mode: 0o600 });
  }

  /** Those found in its prompt or transcript by now. */
  async seenIn(prompt: string, transcript: string | undefined): Promise<string[]> {
    const handed = (await readdir(this.#directory))
      .filter((name) => name.startsWith(this.#prefix))
      .map((name) => decodeURIComponent(name.slice(this.#prefix.length)));
    if (handed.length === 0) return [];
    const text = prompt + (transcript === undefined ? '' : await endOf(transcript));
    return handed.filter((id) => text.includes(`[${id}]`));
  }

  /** The daemon knows about these. */
  async forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) await rm(this.#noteOf(id), { force: true });
  }

  /**
   * From now on this process is the one that waits, and the one before it ends: a CLI listens to the hooks of its present
   * turn only.
   */
  async takeLock(): Promise<void> {
    const [pid, mark = ''] = (await readIfThere(this.#lock))?.split(' ') ?? [];
    await writeAtomically(this.#lock, `${process.pid} ${processMark(process.pid) ?? ''}`);
    const before = { pid: Number(pid), mark };
    if (pid !== undefined && isAlive(before)) process.kill(before.pid, 'SIGTERM');
  }

  async holdsLock(): Promise<boolean> {
    return (await readIfThere(this.#lock))?.startsWith(`${process.pid} `) === true;
  }

  async unlock(): Promise<void> {
    if (await this.holdsLock()) await rm(this.#lock, { force: true });
  }

  /** Whoever sends a message may choose its id. */
  #noteOf(id: string): string {
    return join(this.#directory, `${this.#prefix}${encodeURIComponent(id)}`);
  }
}

/** Empty if there is no such file: not every CLI has one from the start. */
async function endOf(file: string): Promise<string> {
  try {
    // A pipe would have to be written to first.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      const size = found.isFile() ? found.size : 0;
      const bytes = Buffer.alloc(Math.min(size, MOST_BYTES));
      await handle.read(bytes, 0, bytes.length, size - bytes.length);
      // What Claude Code keeps for later is in there too, and may never get into its context.
      const lines = bytes.toString('utf8').split('\n');
      return lines.filter((line) => !line.includes('"type":"queue-operation"')).join('\n');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}
