import type { ProcessRef } from '@agent-relay/protocol';
import { isRelayError } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';

export interface RunFacts {
  run: string;
  cli: string;
  args: string[];
  cwd: string;
  host: ProcessRef;
  program: ProcessRef;
  version?: string;
  startedAt: number;
}

/** How long the daemon may take to hear of the end. */
const REPORT_MS = 5000;

/** What the daemon knows of this run, on whatever connection, and what it asks the host to do. */
export class RunLink {
  readonly #relay: Relay;
  readonly #facts: RunFacts;
  /** The daemon wants the program ended. */
  onEnd: () => void = () => undefined;
  /** The daemon has been told of the run, on each connection. */
  onTold: () => void = () => undefined;
  /** Whether the daemon knows of the run, told on each connection. */
  #told: Promise<void>;
  #session: string | undefined;
  #stopped: NodeJS.Signals | undefined;

  constructor(relay: Relay, facts: RunFacts) {
    this.#relay = relay;
    this.#facts = facts;
    relay.on('run.end', ({ run }) => {
      if (run === facts.run) this.onEnd();
    });
    relay.on('connected', () => {
      this.#told = this.#tell();
    });
    this.#told = this.#tell();
  }

  /** The conversation that the CLI is in. */
  session(id: string): void {
    if (id === this.#session) return;
    this.#session = id;
    if (this.#relay.state === 'connected') this.#told = this.#told.then(() => this.#tellSession());
  }

  /** This process was told to end, and ends the program. */
  stopped(signal: NodeJS.Signals): void {
    this.#stopped ??= signal;
  }

  /** The program has ended. A daemon that is away hears nothing: it finds out that this process is gone. */
  async ended(exit: { code: number; signal?: string }): Promise<void> {
    if (this.#relay.state !== 'connected') return;
    await this.#told;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, REPORT_MS);
    const stopped = this.#stopped;
    const reported = this.#relay.request('RUN_REPORT', {
      ...{ run: this.#facts.run, exit },
      ...(stopped && { stopped }),
    });
    await Promise.race([reported.catch(ignoreRelayErrors), late]);
    clearTimeout(timer);
  }

  /** The run goes on whether the daemon hears of it or not. */
  async #tell(): Promise<void> {
    await this.#relay.request('HOST', this.#facts).catch(ignoreRelayErrors);
    this.onTold();
    await this.#tellSession();
  }

  async #tellSession(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    await this.#relay.request('RUN_REPORT', { run: this.#facts.run, session }).catch(ignoreRelayErrors);
  }
}

function ignoreRelayErrors(error: unknown): void {
  if (!isRelayError(error)) throw error;
}
