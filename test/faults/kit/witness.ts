import assert from 'node:assert/strict';
import { measureLatency } from '../../bench/latency.ts';
import { Pair } from '../../bench/pairs.ts';
import { maximum } from '../../bench/statistics.ts';
import type { TestDaemon } from '../../kit/daemon.ts';
import { within } from '../fault.ts';

const DEADLINE_MS = 5_000;

/** Two agents that were connected before the fault, and a process that must survive it. */
export class Witness implements Disposable {
  readonly #daemon: TestDaemon;
  readonly #pid: number;
  readonly #pair: Pair;

  private constructor(daemon: TestDaemon, pair: Pair) {
    this.#daemon = daemon;
    this.#pid = daemon.pid;
    this.#pair = pair;
  }

  static async watch(daemon: TestDaemon): Promise<Witness> {
    return new Witness(daemon, await Pair.connect(daemon.socketPath, 'witness'));
  }

  /** Throws unless a message still passes between the two; returns how long it took. */
  async testify(after: string): Promise<number> {
    const latencies = await within(
      DEADLINE_MS,
      `a message of others after ${after}`,
      measureLatency(this.#pair, 3),
    );
    assert.equal(this.#daemon.pid, this.#pid);
    return maximum(latencies);
  }

  [Symbol.dispose](): void {
    this.#pair.close();
  }
}
