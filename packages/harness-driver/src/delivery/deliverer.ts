import { isRelayError, type Message, type ReasonInput } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { envelopeOf } from './envelope.ts';
import { type Gate, isSameGate } from './gate.ts';
import type { Injection } from './inject.ts';

/** The agent's terminal, as far as delivery needs it. */
export interface DeliveryTarget {
  /** Whether something may be typed now; undefined while the screen is being drawn. */
  gate(): Gate | undefined;
  /** Types a message and submits it. Meanwhile nobody else types. */
  inject(text: string): Promise<Injection>;
  /** Resolves with whether the CLI was seen working within the time. */
  turnStarts(withinMs: number): Promise<boolean>;
}

type Outcome = { state: 'injected' | 'turn_started' | 'uncertain'; reason?: ReasonInput };

/** The composer must have been ready so long: a screen is drawn in several steps. */
const STEADY_MS = 100;
/** How long after a message was submitted its turn is looked for. */
const TURN_MS = 1000;
/** Outcomes that are remembered, to be told again to a daemon that lost them. */
const MOST_REMEMBERED = 256;

/**
 * Brings an agent's messages into its terminal: one at a time, oldest first, each claimed right before it is typed. What
 * was typed once is never typed again, whatever happens to the daemon or the connection.
 */
export class Deliverer {
  readonly #relay: Relay;
  readonly #target: DeliveryTarget;
  readonly #onFailure: (error: unknown) => void;
  readonly #outcomes = new Map<string, Outcome>();
  /** What was claimed and could not be typed yet. */
  #claimed: Message | undefined;
  /** The message whose turn has not been seen yet. */
  #submitted: string | undefined;
  #mayHaveMail = true;
  #told: Gate | undefined;
  #openSince: number | undefined;
  #isWorking = false;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  /** `onFailure` is told why nothing is delivered any more, if that happens before the end. */
  constructor(relay: Relay, target: DeliveryTarget, onFailure: (error: unknown) => void) {
    this.#relay = relay;
    this.#target = target;
    this.#onFailure = onFailure;
    const mail = () => {
      this.#mayHaveMail = true;
      this.look();
    };
    relay.on('mail.claimable', mail);
    relay.on('events.missed', mail);
    relay.on('connected', () => {
      // A new connection knows nothing of what was said on the one before.
      this.#told = undefined;
      mail();
    });
    relay.on('closed', (error) => (error === undefined ? this.#stop() : this.#fail(error)));
  }

  /** Something changed, on the screen or in the mail: sees what can be done. */
  look(): void {
    if (this.#ended) return;
    const gate = this.#target.gate();
    // It is looked at again when it is drawn.
    if (gate === undefined) return;
    this.#openSince = gate === 'open' ? (this.#openSince ?? performance.now()) : undefined;
    this.#tell(gate);
    if (this.#isWorking) {
      this.#again = true;
      return;
    }
    if (this.#openSince === undefined || !(this.#mayHaveMail || this.#claimed)) return;
    const left = STEADY_MS - (performance.now() - this.#openSince);
    if (left > 0) this.#lookIn(left);
    else void this.#work();
  }

  /** The program has ended: gives back what was claimed and surely not typed, if there is a daemon to hear it. */
  async end(): Promise<void> {
    this.#stop();
    if (!this.#claimed || this.#isWorking || this.#relay.state !== 'connected') return;
    await this.#relay.paths.report('pty', this.#claimed.id, 'refused').catch((error) => {
      if (!isRelayError(error)) throw error;
    });
  }

  #stop(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    this.#stop();
    this.#onFailure(error);
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), ms);
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    this.#again = false;
    try {
      await this.#deliverNext();
    } catch (error) {
      this.#fail(error);
    }
    this.#isWorking = false;
    if (this.#again || this.#mayHaveMail) this.look();
  }

  async #deliverNext(): Promise<void> {
    const message = this.#claimed ?? (await this.#claim());
    if (message === undefined) return;
    const known = this.#outcomes.get(message.id);
    if (known) return await this.#report(message.id, known.state, known.reason);
    this.#claimed = message;
    const text = envelopeOf(message, await this.#agents(), this.#relay.name ?? '');
    // Asking took a moment: the screen may be another one by now.
    if (this.#ended || this.#target.gate() !== 'open') return;
    this.#submitted = undefined;
    const injection = await this.#target.inject(text);
    if (injection === 'not typed') return;
    this.#claimed = undefined;
    const outcome = outcomeOf(injection);
    this.#remember(message.id, outcome);
    await this.#report(message.id, outcome.state, outcome.reason);
    if (injection === 'submitted') void this.#watchTurn(message.id);
  }

  /** Until the next message is typed: from then on a turn may be that one's. */
  async #watchTurn(id: string): Promise<void> {
    this.#submitted = id;
    if (!(await this.#target.turnStarts(TURN_MS)) || this.#submitted !== id) return;
    await this.#report(id, 'turn_started').catch((error) => this.#fail(error));
  }

  async #claim(): Promise<Message | undefined> {
    this.#mayHaveMail = false;
    try {
      const [message] = await this.#relay.paths.claim('pty', { limit: 1 });
      // There may be more; asking once too often is cheap.
      if (message) this.#mayHaveMail = true;
      return message;
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.#mayHaveMail = true;
      return undefined;
    }
  }

  async #agents() {
    try {
      return await this.#relay.who({ includeOffline: true });
    } catch (error) {
      if (!isPassing(error)) throw error;
      // Then nobody is taken for more than a peer.
      return [];
    }
  }

  #remember(id: string, outcome: Outcome): void {
    this.#outcomes.set(id, outcome);
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > MOST_REMEMBERED && oldest !== undefined) this.#outcomes.delete(oldest);
  }

  /** Until the daemon has heard it, or has ended the connection for good. */
  async #report(id: string, state: Outcome['state'] | 'refused', reason?: ReasonInput): Promise<void> {
    while (this.#relay.state !== 'closed') {
      try {
        await this.#relay.paths.report('pty', id, state, reason);
        return;
      } catch (error) {
        if (isRelayError(error, 'NotClaimed') || isRelayError(error, 'MessageNotFound')) return;
        if (!isPassing(error)) throw error;
      }
    }
  }

  #tell(gate: Gate): void {
    if (this.#relay.state !== 'connected' || (this.#told !== undefined && isSameGate(this.#told, gate)))
      return;
    this.#told = gate;
    const told = gate === 'open' ? this.#relay.paths.ready('pty') : this.#relay.paths.waits('pty', gate.wait);
    told.catch((error) => {
      if (isPassing(error)) this.#told = undefined;
      else this.#fail(error);
    });
  }
}

function outcomeOf(injection: Exclude<Injection, 'not typed'>): Outcome {
  if (injection === 'unclear') return { state: 'uncertain', reason: { code: 'unconfirmed' } };
  return { state: injection === 'turned' ? 'turn_started' : 'injected' };
}

/** What a daemon that comes back makes good. */
const isPassing = (error: unknown): boolean =>
  isRelayError(error) && (error.retryable || error.code === 'Cancelled');
