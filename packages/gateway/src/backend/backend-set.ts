import type { ConfiguredBackend } from '../config/load.ts';
import { Arrivals } from './arrivals.ts';
import { Backend, type BackendEvents, type Remembered } from './backend.ts';
import type { BackendLimits } from './limits.ts';

export interface BackendSetOptions {
  limits: BackendLimits;
  events: BackendEvents;
  recall(configured: ConfiguredBackend): Remembered | undefined;
  clientCapabilities?: Record<string, unknown>;
}

/** The running backends of a configuration. Applying a new configuration touches only what changed. */
export class BackendSet {
  readonly #options: BackendSetOptions;
  readonly #backends = new Map<string, { fingerprint: string; backend: Backend }>();
  readonly #firstLists = new Arrivals();
  readonly #firstAttempts = new Arrivals();

  constructor(options: BackendSetOptions) {
    this.#options = options;
  }

  get(name: string): Backend | undefined {
    return this.#backends.get(name)?.backend;
  }

  [Symbol.iterator](): Iterator<Backend> {
    return [...this.#backends.values()].map(({ backend }) => backend)[Symbol.iterator]();
  }

  /** Starts new backends, stops removed ones and replaces changed ones. The others keep running undisturbed. */
  apply(configured: ConfiguredBackend[]): void {
    const wanted = new Map(configured.map((entry) => [entry.config.name, entry]));
    const replaced = new Map<string, Backend>();
    for (const [name, { fingerprint, backend }] of this.#backends) {
      const entry = wanted.get(name);
      if (entry && fingerprintOf(entry) === fingerprint) continue;
      this.#backends.delete(name);
      replaced.set(name, backend);
      void backend.stop();
    }
    for (const entry of configured) {
      if (this.#backends.has(entry.config.name)) continue;
      const backend = this.#create(entry, replaced.get(entry.config.name));
      this.#backends.set(entry.config.name, { fingerprint: fingerprintOf(entry), backend });
      const known = backend.known && !entry.meanwhile;
      const started = backend.start();
      // No need to wait for a backend whose lists are remembered.
      if (!known) this.#firstLists.expect(started);
      this.#firstAttempts.expect(started);
    }
  }

  /** Resolves when the lists of all backends are known or have failed, or when none arrived for `pauseMs`. */
  settled(pauseMs: number): Promise<void> {
    return this.#firstLists.over(pauseMs);
  }

  /** Resolves when all backends have connected or failed, or when none did for `pauseMs`. */
  attempted(pauseMs: number): Promise<void> {
    return this.#firstAttempts.over(pauseMs);
  }

  async stop(): Promise<void> {
    const all = [...this];
    this.#backends.clear();
    await Promise.all(all.map((backend) => backend.stop(true)));
  }

  #create(entry: ConfiguredBackend, replaced: Backend | undefined): Backend {
    const { limits, events, recall, clientCapabilities } = this.#options;
    const backend = new Backend(entry.config, limits, events, {
      remembered: entry.meanwhile ? { era: 'legacy', lists: entry.meanwhile } : recall(entry),
      ...(clientCapabilities === undefined ? {} : { clientCapabilities }),
      replaced,
    });
    if (entry.problem !== undefined) backend.refuse(entry.problem);
    return backend;
  }
}

/** Equal fingerprints mean the same backend with the same settings. */
export const fingerprintOf = ({ config, problem }: Pick<ConfiguredBackend, 'config' | 'problem'>): string =>
  JSON.stringify([config, problem]);
