import { type Attention, isRelayError, type ProcessRef, type RunChoices } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';

export interface RunFacts {
  run: string;
  cli: string;
  args: string[];
  choices?: RunChoices;
  cwd: string;
  host: ProcessRef;
  program: ProcessRef;
  terminal?: string;
  version?: string;
  startedAt: number;
}

/** Time to report the end to the daemon. */
const REPORT_MS = 5000;

/** Reports this run to the daemon, across reconnects, and takes its requests. */
export class RunLink {
  readonly #relay: Relay;
  readonly #facts: RunFacts;
  readonly #isHeld: () => boolean;
  /** The daemon asks to end the program. */
  onEnd: () => void = () => undefined;
  /** The daemon has been told of the run, on each connection. */
  onTold: () => void = () => undefined;
  /** The agent, or a person, has chosen another time for messages. */
  onAttention: () => void = () => undefined;
  #attention: Attention | undefined;
  /** Whether the daemon knows of the run, told on each connection. */
  #told: Promise<void>;
  #session: string | undefined;
  #stopped: NodeJS.Signals | undefined;

  /** `isHeld`: whether a viewer holds messages. A daemon that was away does not know. */
  constructor(relay: Relay, facts: RunFacts, isHeld: () => boolean) {
    this.#relay = relay;
    this.#facts = facts;
    this.#isHeld = isHeld;
    relay.on('run.end', ({ run }) => {
      if (run === facts.run) this.onEnd();
    });
    relay.on('run.attention', ({ run, attention }) => {
      if (run === facts.run) this.#setAttention(attention);
    });
    relay.on('connected', () => {
      this.#told = this.#tell();
    });
    this.#told = this.#tell();
  }

  /** When the agent wants its messages while it works, as the daemon last said. */
  get attention(): Attention | undefined {
    return this.#attention;
  }

  #setAttention(attention: Attention | undefined): void {
    this.#attention = attention;
    this.onAttention();
  }

  /** The CLI's current conversation. */
  session(id: string): void {
    if (id === this.#session) return;
    this.#session = id;
    if (this.#relay.state === 'connected') this.#told = this.#told.then(() => this.#tellSession());
  }

  /** This process was told to end and ends the program. */
  stopped(signal: NodeJS.Signals): void {
    this.#stopped ??= signal;
  }

  /** The program has ended. A daemon that is away will notice that this process is gone. */
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

  /** The run continues even if the daemon cannot be told. */
  async #tell(): Promise<void> {
    const facts = { ...this.#facts, ...(this.#isHeld() && { held: true }) };
    const told = await this.#relay.request('HOST', facts).catch(ignoreRelayErrors);
    if (told) this.#setAttention(told.attention);
    this.onTold();
    await this.#tellSession();
  }

  async #tellSession(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    await this.#relay.request('RUN_REPORT', { run: this.#facts.run, session }).catch(ignoreRelayErrors);
  }
}

function ignoreRelayErrors(error: unknown): undefined {
  if (!isRelayError(error)) throw error;
}
