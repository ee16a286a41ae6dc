import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '@agent-relay/platform';
import { processMark } from '@agent-relay/platform/processes';

/**
 * Claims of a hook belong to its receiver. If the process ended before its claim was answered, nobody has seen those messages:
 * the next hook of the session claims by the same receiver, and gets them first. Hooks that run at the same time have
 * receivers of their own: each would be given what another one has claimed. An empty file has the receiver and
 * its process in its name.
 */
export class Claimant {
  readonly receiver: string;
  readonly #file: string;
  readonly #isInherited: boolean;

  private constructor(file: string, receiver: string, isInherited: boolean) {
    this.#file = file;
    this.receiver = receiver;
    this.#isInherited = isInherited;
  }

  /** `prefix`: the session. */
  static async open(directory: string, prefix: string): Promise<Claimant> {
    const ours = (receiver: string) => join(directory, `${prefix}.claims.${receiver}.${process.pid}`);
    for (const name of await readdir(directory)) {
      if (!name.startsWith(`${prefix}.claims.`)) continue;
      const [receiver = '', pid] = name.split('.').slice(-2);
      if (processMark(Number(pid)) !== undefined) continue;
      if (await moved(join(directory, name), ours(receiver)))
        return new Claimant(ours(receiver), receiver, true);
    }
    const receiver = `hook-${randomUUID()}`;
    await writeFile(ours(receiver), '', { mode: 0o600 });
    return new Claimant(ours(receiver), receiver, false);
  }

  /** The conversation with the daemon has ended, with an answer to a claim or without a claim. */
  async settled(hasClaimed: boolean): Promise<void> {
    if (hasClaimed || !this.#isInherited) await rm(this.#file, { force: true });
  }
}

/** False if another hook was first. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
