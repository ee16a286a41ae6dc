import {
  type AddressedMessage,
  type ClaimingPath,
  isRelayError,
  type ReasonInput,
} from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { envelopeOf } from './envelope.ts';
import { type Gate, isSameGate } from './gate.ts';
import type { Ingress, Outcome } from './ingress.ts';
import type { PathProof } from './path-proof.ts';

/** What is reported to the daemon about a message, and its path. */
interface Report {
  path: ClaimingPath;
  state: Exclude<Outcome, 'not begun' | 'announced'> | 'turn_started' | 'refused';
}

export interface DelivererOptions {
  /** The paths into the agent's context, best first. */
  ingresses: readonly Ingress[];
  /** A viewer's wish that comes before anything else a message could wait for. */
  pause?: (() => ReasonInput | undefined) | undefined;
  /** A reason not to use any of them, while there is one. */
  hold?: (() => ReasonInput | undefined) | undefined;
  /** Whether the paths work in the version of the CLI that runs. */
  proof?: PathProof | undefined;
  /** Called with the reason if delivery ends early. */
  onFailure: (error: unknown) => void;
}

/** How long after a message was submitted its turn is looked for: the first one of OpenCode takes seconds to begin. */
const TURN_MS = 15_000;
/** Outcomes that are remembered, to be told again to a daemon that lost them. */
const MOST_REMEMBERED = 256;
/** How many waiting messages are searched for an urgent one. */
const MOST_LOOKED_AT = 100;

/**
 * Delivers an agent's messages into its context: one at a time, oldest first, each claimed right before. Uses the best
 * path that works now, and another one only if that has certainly not begun. Nothing goes in twice, whatever
 * happens to the daemon or the connection.
 */
export class Deliverer {
  readonly #relay: Relay;
  readonly #ingresses: readonly Ingress[];
  readonly #pause: () => ReasonInput | undefined;
  readonly #hold: () => ReasonInput | undefined;
  readonly #proof: PathProof | undefined;
  readonly #onFailure: (error: unknown) => void;
  readonly #outcomes = new Map<string, Report>();
  /** Claimed, but not delivered yet. */
  #claimed: { message: AddressedMessage; path: ClaimingPath } | undefined;
  /** The message whose turn has not been seen yet. */
  #submitted: string | undefined;
  #mayHaveMail = true;
  /** Whether an urgent message waits; unknown after mail came. */
  #hasUrgent: boolean | undefined;
  readonly #told = new Map<ClaimingPath, Gate>();
  readonly #openSince = new Map<Ingress, number>();
  #isWorking = false;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(relay: Relay, { ingresses, pause, hold, proof, onFailure }: DelivererOptions) {
    this.#relay = relay;
    this.#ingresses = ingresses;
    this.#pause = pause ?? (() => undefined);
    this.#hold = hold ?? (() => undefined);
    this.#onFailure = onFailure;
    this.#proof = proof;
    if (proof)
      proof.onChange = (path) => {
        this.#told.delete(path);
        this.look();
      };
    for (const ingress of ingresses) {
      ingress.onFound = (id) => void this.#observed(id, { path: ingress.path, state: 'injected' });
    }
    const mail = () => {
      this.#mayHaveMail = true;
      this.#hasUrgent = undefined;
      this.look();
    };
    relay.on('mail.claimable', mail);
    relay.on('events.missed', mail);
    relay.on('connected', () => {
      // A new connection does not know what was reported on the previous one.
      this.#told.clear();
      mail();
    });
    relay.on('closed', (error) => (error === undefined ? this.#stop() : this.#fail(error)));
  }

  /** The agent or its mail changed: delivers what can be delivered. */
  look(): void {
    if (this.#ended) return;
    const way = this.#bestWay();
    if (this.#isWorking) {
      this.#again = true;
      return;
    }
    if (way === undefined || !(this.#mayHaveMail || this.#claimed)) return;
    const { ingress, isForUrgent } = way;
    if (isForUrgent && this.#hasUrgent === false) return;
    const left = ingress.steadyMs - (performance.now() - (this.#openSince.get(ingress) ?? 0));
    if (left > 0) this.#lookIn(left);
    else void this.#work(ingress, isForUrgent);
  }

  /** The program has ended: returns what was claimed and certainly not begun, if there is a daemon. */
  async end(): Promise<void> {
    this.#stop();
    if (!this.#claimed || this.#isWorking || this.#relay.state !== 'connected') return;
    const { path } = this.#claimed;
    await this.#relay.paths.report(path, this.#claimed.message.id, 'refused').catch((error) => {
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

  /** The best working path, if it is open; also reports what all of them wait for. */
  #bestWay(): { ingress: Ingress; isForUrgent: boolean } | undefined {
    const ways = this.#ingresses.map((ingress) => ({ ingress, gate: this.#gateOf(ingress) }));
    const now = performance.now();
    for (const { ingress, gate } of ways) {
      if (gate === undefined) continue;
      if (isUsable(gate)) this.#openSince.set(ingress, this.#openSince.get(ingress) ?? now);
      else this.#openSince.delete(ingress);
      if (gate === 'open' || !gate.isPassing) this.#tell(ingress.path, gate);
    }
    const best = ways.find(({ gate }) => gate === undefined || gate === 'open' || !gate.isDown);
    // An unknown one is checked again when it is known.
    if (best?.gate === undefined || !isUsable(best.gate)) return undefined;
    return { ingress: best.ingress, isForUrgent: best.gate !== 'open' };
  }

  #gateOf(ingress: Ingress): Gate | undefined {
    const pause = this.#pause();
    if (pause) return { wait: pause };
    const { path } = ingress;
    const doubt = this.#proof?.hasFailed(path) ? this.#proof.doubt(path) : undefined;
    const gate = doubt ? ({ wait: doubt, isDown: true } as const) : ingress.gate();
    const wait = this.#hold();
    return wait && gate !== undefined && isUsable(gate) ? { wait } : gate;
  }

  async #work(ingress: Ingress, isForUrgent: boolean): Promise<void> {
    this.#isWorking = true;
    this.#again = false;
    try {
      if (!isForUrgent || (await this.#findUrgent())) await this.#deliverNext(ingress);
    } catch (error) {
      this.#fail(error);
    }
    this.#isWorking = false;
    if (this.#again || this.#mayHaveMail) this.look();
  }

  /** Order is kept: the messages before an urgent one go with it. */
  async #findUrgent(): Promise<boolean> {
    if (this.#claimed?.message.importance === 'urgent' || this.#hasUrgent) return true;
    // New mail makes it unknown again.
    this.#hasUrgent = false;
    try {
      const { messages } = await this.#relay.inbox({ limit: MOST_LOOKED_AT, markRead: false });
      const isFound = messages.some(({ importance }) => importance === 'urgent');
      if (isFound) this.#hasUrgent = true;
      return isFound;
    } catch (error) {
      if (!isPassing(error)) throw error;
      return false;
    }
  }

  async #deliverNext(ingress: Ingress): Promise<void> {
    const { path } = ingress;
    // A message that another path claimed and did not begin is claimed again by this one.
    const message = this.#claimed?.path === path ? this.#claimed.message : await this.#claim(path);
    if (message === undefined) {
      // It expired meanwhile, or the daemon could not be asked.
      if (!this.#mayHaveMail) this.#claimed = undefined;
      return;
    }
    const known = this.#outcomes.get(message.id);
    if (known) return await this.#report(message.id, known);
    this.#claimed = { message, path };
    const text = envelopeOf(message);
    // The claim took a moment: the agent may be busy by now.
    const gate = this.#gateOf(ingress);
    if (this.#ended || gate === undefined || !isUsable(gate)) return;
    this.#submitted = undefined;
    const outcome = await ingress.deliver({ id: message.id, text });
    if (outcome === 'not begun') return;
    this.#claimed = undefined;
    this.#hasUrgent = undefined;
    // One that was only announced is left to the inbox; remembered, so that it is announced once.
    await this.#observed(message.id, { path, state: outcome === 'announced' ? 'refused' : outcome });
    if (outcome === 'injected') void this.#watchTurn(message.id, ingress);
  }

  /** Until the next message is delivered: from then on a turn may be that one's. */
  async #watchTurn(id: string, ingress: Ingress): Promise<void> {
    this.#submitted = id;
    if (!(await ingress.turnStarts(TURN_MS, () => this.#submitted === id))) return;
    await this.#observed(id, { path: ingress.path, state: 'turn_started' });
  }

  async #claim(path: ClaimingPath): Promise<AddressedMessage | undefined> {
    this.#mayHaveMail = false;
    try {
      const [message] = await this.#relay.paths.claim(path, { limit: 1 });
      // There may be more; an extra request is cheap.
      if (message) this.#mayHaveMail = true;
      return message;
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.#mayHaveMail = true;
      return undefined;
    }
  }

  async #observed(id: string, report: Report): Promise<void> {
    this.#outcomes.set(id, report);
    if (report.state !== 'refused') this.#proof?.observed(report.path, report.state);
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > MOST_REMEMBERED && oldest !== undefined) this.#outcomes.delete(oldest);
    await this.#report(id, report).catch((error) => this.#fail(error));
  }

  /** Retries until the daemon has it, or has ended the connection for good. */
  async #report(id: string, { path, state }: Report): Promise<void> {
    const why = state === 'uncertain' ? ({ code: 'unconfirmed' } as const) : undefined;
    while (this.#relay.state !== 'closed') {
      try {
        await this.#relay.paths.report(path, id, state, why);
        return;
      } catch (error) {
        if (isRelayError(error, 'NotClaimed') || isRelayError(error, 'MessageNotFound')) return;
        if (!isPassing(error)) throw error;
      }
    }
  }

  #tell(path: ClaimingPath, gate: Gate): void {
    const told = this.#told.get(path);
    if (this.#relay.state !== 'connected' || (told !== undefined && isSameGate(told, gate))) return;
    this.#told.set(path, gate);
    const telling =
      gate === 'open'
        ? this.#relay.paths.ready(path, this.#proof?.doubt(path))
        : this.#relay.paths.waits(path, gate.wait);
    telling.catch((error) => {
      if (isPassing(error)) this.#told.delete(path);
      else this.#fail(error);
    });
  }
}

/** Open, at least for urgent messages. */
const isUsable = (gate: Gate): boolean => gate === 'open' || gate.isOpenToUrgent === true;

/** Errors that pass when the daemon comes back. */
const isPassing = (error: unknown): boolean =>
  isRelayError(error) && (error.retryable || error.code === 'Cancelled');
