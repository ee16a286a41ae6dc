import type { RelayError } from '@agent-relay/protocol';

/** The outcome of one call of a batch. */
export type Outcome = { value: unknown } | { error: RelayError };

interface Waiting<Call> {
  call: Call;
  resolve: (value: unknown) => void;
  reject: (error: RelayError) => void;
}

/** After this long without other writes, background work is not throttled. */
const QUIET_MS = 20;
/** While others write, background work takes one part in this many of the time. */
const SHARE = 10;
/** If there is never a pause, background work starts at most this late. */
const PATIENCE_MS = 1000;

/**
 * Collects writes and commits them together: while one batch is being written, the next one is collected.
 * If no batch is being written, a call is committed at the end of this turn of the event loop, together with everything
 * else that arrived in it.
 */
export class GroupCommit<Call> {
  readonly #commit: (calls: Call[]) => Promise<Outcome[]>;
  readonly #now: () => number;
  #waiting: Array<Waiting<Call>> = [];
  #background: Array<Waiting<Call>> = [];
  /** Background work starts when there are no other writes, or at this time. */
  #backgroundDueAt = 0;
  #quietAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #busy = false;
  #whenSettled: Array<() => void> = [];

  /** `commit` must not reject: a failure of the database is the outcome of each call. */
  constructor(commit: (calls: Call[]) => Promise<Outcome[]>, now = () => performance.now()) {
    this.#commit = commit;
    this.#now = now;
  }

  submit(call: Call): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, resolve, reject });
      this.#start();
    });
  }

  /** For background work: runs when there are no other writes, and occasionally while there are. */
  submitInBackground(call: Call): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#background.length === 0) this.#backgroundDueAt = Math.max(this.#backgroundDueAt, this.#now());
      this.#background.push({ call, resolve, reject });
      this.#start();
    });
  }

  /** Resolves when every call submitted so far has its outcome. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenSettled.push(resolve);
      this.#start();
    });
  }

  #start(): void {
    if (this.#busy) return;
    this.#busy = true;
    clearTimeout(this.#timer);
    setImmediate(() => this.#next());
  }

  #next(): void {
    const isOverdue = this.#background.length > 0 && this.#now() > this.#backgroundDueAt + PATIENCE_MS;
    if (this.#waiting.length > 0 && !isOverdue) this.#leave(this.#waiting.splice(0), false);
    else if (this.#background.length > 0) this.#backgroundOrWait();
    else this.#rest();
  }

  #backgroundOrWait(): void {
    const waitMs = Math.min(this.#quietAt, this.#backgroundDueAt) - this.#now();
    if (waitMs <= 0 || this.#whenSettled.length > 0) {
      this.#leave(this.#background.splice(0, 1), true);
    } else {
      this.#busy = false;
      this.#timer = setTimeout(() => this.#start(), waitMs);
    }
  }

  #rest(): void {
    this.#busy = false;
    for (const resolve of this.#whenSettled.splice(0)) resolve();
  }

  #leave(batch: Array<Waiting<Call>>, isBackground: boolean): void {
    const leftAt = this.#now();
    void this.#commit(batch.map(({ call }) => call)).then((outcomes) => {
      const now = this.#now();
      if (isBackground) this.#backgroundDueAt = now + (SHARE - 1) * (now - leftAt);
      else this.#quietAt = now + QUIET_MS;
      // The next batch starts before the results of this one are reported, so that the disk does not wait.
      this.#next();
      batch.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index] as Outcome;
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.value);
      });
    });
  }
}
