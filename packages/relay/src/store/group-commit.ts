import type { RelayError } from '@agent-relay/protocol';

/** What became of one call of a batch. */
export type Outcome = { value: unknown } | { error: RelayError };

interface Waiting<Call> {
  call: Call;
  resolve: (value: unknown) => void;
  reject: (error: RelayError) => void;
}

/** Under a steady load background work is a batch in so many milliseconds. */
const PATIENCE_MS = 1000;

/**
 * Collects writes and commits them together: while one batch is on its way to the disk, the next one gathers.
 * A call that finds nothing on the way leaves at the end of this turn of the event loop, together with everything
 * else that arrived in it.
 */
export class GroupCommit<Call> {
  readonly #commit: (calls: Call[]) => Promise<Outcome[]>;
  #waiting: Array<Waiting<Call>> = [];
  /** Calls that let others go first, but not for ever. */
  #patient: Array<Waiting<Call> & { until: number }> = [];
  #busy = false;
  #whenSettled: Array<() => void> = [];

  /** `commit` must not reject: a failure of the database is the outcome of each call. */
  constructor(commit: (calls: Call[]) => Promise<Outcome[]>) {
    this.#commit = commit;
  }

  submit(call: Call): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, resolve, reject });
      this.#start();
    });
  }

  /** For work that nobody waits for: it leaves when nothing else does, or after a while. */
  submitWhenIdle(call: Call): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#patient.push({ call, resolve, reject, until: performance.now() + PATIENCE_MS });
      this.#start();
    });
  }

  /** Resolves when every call submitted until then has its outcome. */
  settled(): Promise<void> {
    if (!this.#busy) return Promise.resolve();
    return new Promise((resolve) => this.#whenSettled.push(resolve));
  }

  #start(): void {
    if (this.#busy) return;
    this.#busy = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    const batch = this.#waiting;
    const [patient] = this.#patient;
    if (patient && (batch.length === 0 || performance.now() >= patient.until)) {
      this.#patient.shift();
      batch.push(patient);
    }
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
