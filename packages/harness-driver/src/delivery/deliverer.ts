import { type ClaimingPath, isRelayError, type Message, type ReasonInput } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { envelopeOf } from './envelope.ts';
import { type Gate, isSameGate } from './gate.ts';
import type { Ingress, Outcome } from './ingress.ts';

/** What the daemon is told of a message, and by which path. */
interface Report {
  path: ClaimingPath;
  state: Exclude<Outcome, 'not begun'>;
}

export interface DelivererOptions {
  /** The ways into the agent's context, best first. */
  ingresses: readonly Ingress[];
  /** Why nothing should go in by any of them, while there is a reason. */
  hold?: (() => ReasonInput | undefined) | undefined;
  /** Told why nothing is delivered any more, if that happens before the end. */
  onFailure: (error: unknown) => void;
}

/** How long after a message was submitted its turn is looked for on the screen. */
const TURN_MS = 1000;
/** Outcomes that are remembered, to be told again to a daemon that lost them. */
const MOST_REMEMBERED = 256;
/** So many waiting messages are looked through for an urgent one. */
const MOST_LOOKED_AT = 100;

/**
 * Brings an agent's messages into its context: one at a time, oldest first, each claimed right before. The best way that
 * works now is used, and another one only if that had surely not begun. What went in once never goes in again, whatever
 * happens to the daemon or the connection.
 */
export class Deliverer {
  readonly #relay: Relay;
  readonly #ingresses: readonly Ingress[];
  readonly #hold: () => ReasonInput | undefined;
  readonly #onFailure: (error: unknown) => void;
  readonly #outcomes = new Map<string, Report>();
  /** What was claimed and could not be delivered yet. */
  #claimed: { message: Message; path: ClaimingPath } | undefined;
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

  constructor(relay: Relay, { ingresses, hold, onFailure }: DelivererOptions) {
    this.#relay = relay;
    this.#ingresses = ingresses;
    this.#hold = hold ?? (() => undefined);
    this.#onFailure = onFailure;
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
      // A new connection knows nothing of what was said on the one before.
      this.#told.clear();
      mail();
    });
    relay.on('closed', (error) => (error === undefined ? this.#stop() : this.#fail(error)));
  }

  /** Something changed, in the agent or in the mail: sees what can be done. */
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

  /** The program has ended: gives back what was claimed and surely not begun, if there is a daemon to hear it. */
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

  /** The best one that works, if it is open; and tells what all of them wait for. */
  #bestWay(): { ingress: Ingress; isForUrgent: boolean } | undefined {
    const ways = this.#ingresses.map((ingress) => ({ ingress, gate: this.#gateOf(ingress) }));
    const now = performance.now();
    for (const { ingress, gate } of ways) {
      if (gate === undefined) continue;
      if (isUsable(gate)) this.#openSince.set(ingress, this.#openSince.get(ingress) ?? now);
      else this.#openSince.delete(ingress);
      this.#tell(ingress.path, gate);
    }
    const best = ways.find(({ gate }) => gate === undefined || gate === 'open' || !gate.isDown);
    // One that cannot be told now is looked at again when it can.
    if (best?.gate === undefined || !isUsable(best.gate)) return undefined;
    return { ingress: best.ingress, isForUrgent: best.gate !== 'open' };
  }

  #gateOf(ingress: Ingress): Gate | undefined {
    const gate = ingress.gate();
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

  /** The order is kept: an urgent message brings those before it along. */
  async #findUrgent(): Promise<boolean> {
    if (this.#claimed?.message.importance === 'urgent' || this.#hasUrgent) return true;
    // Mail that comes meanwhile makes it unknown again.
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
    // What another path has claimed and not begun is claimed again by this one, and stays ours.
    const message = this.#claimed?.path === path ? this.#claimed.message : await this.#claim(path);
    if (message === undefined) {
      // Expired meanwhile, unless the daemon could not be asked.
      if (!this.#mayHaveMail) this.#claimed = undefined;
      return;
    }
    const known = this.#outcomes.get(message.id);
    if (known) return await this.#report(message.id, known);
    this.#claimed = { message, path };
    const text = envelopeOf(message, await this.#agents(), this.#relay.name ?? '');
    // Asking took a moment: the agent may be doing something else by now.
    const gate = this.#gateOf(ingress);
    if (this.#ended || gate === undefined || !isUsable(gate)) return;
    this.#submitted = undefined;
    const outcome = await ingress.deliver({ id: message.id, text });
    if (outcome === 'not begun') return;
    this.#claimed = undefined;
    this.#hasUrgent = undefined;
    await this.#observed(message.id, { path, state: outcome });
    if (outcome === 'injected') void this.#watchTurn(message.id, ingress);
  }

  /** Until the next message is delivered: from then on a turn may be that one's. */
  async #watchTurn(id: string, ingress: Ingress): Promise<void> {
    this.#submitted = id;
    if (!(await ingress.turnStarts(TURN_MS)) || this.#submitted !== id) return;
    await this.#observed(id, { path: ingress.path, state: 'turn_started' });
  }

  async #claim(path: ClaimingPath): Promise<Message | undefined> {
    this.#mayHaveMail = false;
    try {
      const [message] = await this.#relay.paths.claim(path, { limit: 1 });
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

  async #observed(id: string, report: Report): Promise<void> {
    this.#outcomes.set(id, report);
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > MOST_REMEMBERED && oldest !== undefined) this.#outcomes.delete(oldest);
    await this.#report(id, report).catch((error) => this.#fail(error));
  }

  /** Until the daemon has heard it, or has ended the connection for good. */
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
      gate === 'open' ? this.#relay.paths.ready(path) : this.#relay.paths.waits(path, gate.wait);
    telling.catch((error) => {
      if (isPassing(error)) this.#told.delete(path);
      else this.#fail(error);
    });
  }
}

/** Open, at least for urgent messages. */
const isUsable = (gate: Gate): boolean => gate === 'open' || gate.isOpenToUrgent === true;

/** What a daemon that comes back makes good. */
const isPassing = (error: unknown): boolean =>
  isRelayError(error) && (error.retryable || error.code === 'Cancelled');
