import { callerAccount } from '../governance/accounts.ts';
import type { Caller } from '../operations/caller.ts';
import type { Principal } from '../principal.ts';
import type { OpenCall } from './open-call.ts';

/** The calls that are made from this daemon and have not ended. */
export class OpenCalls {
  readonly #byId = new Map<string, OpenCall>();
  /** Those that an agent is asked for in a message, by agent. */
  readonly #inWords = new Map<number, Set<OpenCall>>();

  add(call: OpenCall): void {
    this.#byId.set(call.id, call);
    if (call.target.kind !== 'announced') return;
    const { id } = call.target.callee;
    this.#inWords.set(id, (this.#inWords.get(id) ?? new Set()).add(call));
  }

  delete(call: OpenCall): void {
    this.#byId.delete(call.id);
    if (call.target.kind !== 'announced') return;
    const { id } = call.target.callee;
    const asked = this.#inWords.get(id);
    asked?.delete(call);
    if (asked?.size === 0) this.#inWords.delete(id);
  }

  has({ id }: OpenCall): boolean {
    return this.#byId.has(id);
  }

  get(id: string): OpenCall | undefined {
    return this.#byId.get(id);
  }

  [Symbol.iterator](): IterableIterator<OpenCall> {
    return this.#byId.values();
  }

  /** How many calls of this caller's account wait for a person's consent. */
  countWaiting({ principal }: OpenCall): number {
    const isTheirs = (other: Principal) =>
      other.workspace.id === principal.workspace.id && callerAccount(other) === callerAccount(principal);
    let count = 0;
    for (const call of this) if (call.waitsFor && isTheirs(call.principal)) count += 1;
    return count;
  }

  /**
   * The depth of a call that a connection makes: one more than the call it is made for. If the connection does not say which, one more than
   * any call that it handles or that its agent is asked for in a message.
   */
  depthFor({ serving, principal: { agent } }: Caller, parent: string | undefined): number {
    const known = parent === undefined ? undefined : serving?.depthOf(parent);
    if (known !== undefined) return known + 1;
    let deepest = 0;
    for (const { depth } of serving?.openCalls ?? []) deepest = Math.max(deepest, depth);
    for (const { depth, waitsFor } of (agent && this.#inWords.get(agent.id)) ?? [])
      if (!waitsFor) deepest = Math.max(deepest, depth);
    return deepest + 1;
  }
}
