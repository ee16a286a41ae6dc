import { existsSync } from 'node:fs';
import { readIfThere, writeAtomically } from '@agent-relay/platform';

/** Where worktrees were made, one repository on a line: these may have kept commits, also after the daemon was restarted. */
export class KnownRepositories {
  readonly #file: string;
  /** One change at a time. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  add(repository: string): Promise<void> {
    return this.#change((known) => [...new Set([...known, repository])]);
  }

  /** Forgets those that were deleted. A failure does not stop the work on the others; the first is thrown at the end. */
  async each(work: (repository: string) => Promise<void>): Promise<void> {
    await this.#change((known) => known.filter(existsSync));
    const done = await Promise.allSettled((await this.#read()).map(work));
    for (const one of done) if (one.status === 'rejected') throw one.reason;
  }

  #change(work: (known: string[]) => string[]): Promise<void> {
    const changing = this.#changing.then(async () => {
      const known = await this.#read();
      const changed = work(known);
      if (changed.length !== known.length)
        await writeAtomically(this.#file, changed.map((one) => `${one}\n`).join(''));
    });
    this.#changing = changing.catch(() => undefined);
    return changing;
  }

  async #read(): Promise<string[]> {
    const text = (await readIfThere(this.#file)) ?? '';
    return text.split('\n').filter((line) => line !== '');
  }
}
