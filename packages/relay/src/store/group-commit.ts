import type { RelayError } from '@agent-relay/protocol';

/** What became of one call of a batch. */
export type Outcome = { value: unknown } | { error: RelayError };

interface Waiting<Call> {
  call: Call;
  resolve: (value: unknown) => void;
  reject: (error: RelayError) => void;
}

/**
 * Collects writes and commits them together: while one batch is on its way to the disk, the next one gathers.
 * A call that finds nothing on the way leaves at the end of this turn of the event loop, together with everything
 * else that arrived in it.
 */
export class GroupCommit<Call> {
  readonly #commit: (calls: Call[]) => Promise<Outcome[]>;
  #waiting: Array<Waiting<Call>> = [];
  #busy = false;
  #whenSettled: Array<() => void> = [];

  /** `commit` must not reject: a failure of the database is the outcome of each call. */
  constructor(commit: (calls: Call[]) => Promise<Outcome[]>) {
    this.#commit = commit;
  }

  submit(call: Call): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, resolve, reject });
      if (this.#busy) return;
      this.#busy = true;
      setImmediate(() => this.#next());
    });
  }

  /** Resolves when every call submitted until then has its outcome. */
  settled(): Promise<void> {
    if (!this.#busy) return Promise.resolve();
    return new Promise((resolve) => this.#whenSettled.push(resolve));
  }

  #next(): void {
    const batch = this.#waiting;
    if (batch.length === 0) {
      this.#busy = false;
      for (const resolve of this.#whenSettled.splice(0)) resolve();
      return;
    }
    this.#waiting = [];
    void this.#commit(batch.map(({ call }) => call)).then((outcomes) => {
      // The next batch leaves before anybody hears of this one: the disk does not wait for the answers.
      this.#next();
      batch.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index] as Outcome;
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.value);
      });
    });
  }
}
