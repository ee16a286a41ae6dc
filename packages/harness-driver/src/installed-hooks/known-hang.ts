import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, writeAtomically } from '@agent-relay/platform';
import type { Environment } from '@agent-relay/sdk/node';

const REMEMBERED_S = 60;

/**
 * Remembers for a minute that the daemon did not answer a hook in time, so that a person does not wait for it again at each
 * prompt and tool call. A daemon that answers ends it.
 */
export class KnownHang {
  readonly #file: string;

  /** `directory`: where the hooks of this user keep their files. */
  constructor(directory: string, { RELAY_URL = '', RELAY_SOCKET = '' }: Environment) {
    // Another daemon may answer.
    const daemon = createHash('sha256').update(`${RELAY_URL}\0${RELAY_SOCKET}`).digest('hex').slice(0, 16);
    this.#file = join(directory, `${daemon}.hang`);
  }

  async isRecent(): Promise<boolean> {
    const noted = await readIfThere(this.#file);
    // One from before the machine was started may lie in the future.
    const age = noted ? uptime() - Number(noted) : Number.NaN;
    return age >= 0 && age < REMEMBERED_S;
  }

  async note(): Promise<void> {
    await writeAtomically(this.#file, String(uptime()));
  }

  async clear(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}

/** In seconds; the same for all processes, and no change of the date moves it. */
const uptime = (): number => Number(process.hrtime.bigint() / 1_000_000n) / 1000;
