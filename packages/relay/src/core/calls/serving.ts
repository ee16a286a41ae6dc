import { type CallEnd, RelayError, type ServedCallPayload } from '@agent-relay/protocol';
import type { Ongoing } from '../operations/caller.ts';
import type { CallOrigin } from '../ports/bus.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { HandledCalls } from './handled-calls.ts';

/** The maximum that waits for a slow callee, in characters of arguments. */
const MAX_WAITING = 8 * 1024 * 1024;

/** Passes calls to the connection that handles them. */
export class Serving implements HandledCalls {
  readonly id: string;
  readonly agent: Agent;
  readonly #ongoing: Ongoing;
  /** Calls it got, or will get. */
  readonly #open = new Map<string, { call: ServedCallPayload; origin: CallOrigin }>();
  /** Calls it has no room for yet, oldest first. */
  readonly #waiting = new Map<string, number>();
  #waitingSize = 0;

  constructor(id: string, agent: Agent, ongoing: Ongoing) {
    this.id = id;
    this.agent = agent;
    this.#ongoing = ongoing;
    ongoing.onRoom = () => this.#sendWaiting();
  }

  get openCalls(): Iterable<ServedCallPayload> {
    return [...this.#open.values()].map(({ call }) => call);
  }

  /** Passes a call to the connection, now or when it has room; returns an error if too much is waiting. */
  take(call: ServedCallPayload, origin: CallOrigin): RelayError | undefined {
    if (this.#ongoing.hasRoom && this.#waiting.size === 0) {
      this.#open.set(call.callId, { call, origin });
      this.#ongoing.send('CALL', call);
      return undefined;
    }
    const size = JSON.stringify(call.arguments).length;
    if (this.#waitingSize + size > MAX_WAITING)
      return new RelayError('Overloaded', `${this.agent.name} cannot keep up with its calls.`, {
        next: 'Try again later. The tool has not run.',
      });
    this.#open.set(call.callId, { call, origin });
    this.#waiting.set(call.callId, size);
    this.#waitingSize += size;
    return undefined;
  }

  /** The caller no longer waits for the result. */
  cancel(callId: string, reason: CallEnd): void {
    if (!this.#open.delete(callId)) return;
    if (!this.#forgetWaiting(callId)) this.#ongoing.send('EVENT', { type: 'call.cancelled', callId, reason });
  }

  isOpen(callId: string): boolean {
    return this.#open.has(callId) && !this.#waiting.has(callId);
  }

  depthOf(callId: string): number | undefined {
    return this.#open.get(callId)?.call.depth;
  }

  askedIn(callId: string): { call: ServedCallPayload; origin: CallOrigin } | undefined {
    return this.isOpen(callId) ? this.#open.get(callId) : undefined;
  }

  settle(callId: string): boolean {
    return this.isOpen(callId) && this.#open.delete(callId);
  }

  #forgetWaiting(callId: string): boolean {
    const size = this.#waiting.get(callId);
    if (size === undefined) return false;
    this.#waitingSize -= size;
    return this.#waiting.delete(callId);
  }

  #sendWaiting(): void {
    for (const callId of this.#waiting.keys()) {
      if (!this.#ongoing.hasRoom) return;
      this.#forgetWaiting(callId);
      this.#ongoing.send('CALL', this.#open.get(callId)?.call ?? {});
    }
  }
}
