import type { ServerResponse } from 'node:http';
import { makeRoom, type Room } from '@agent-relay/platform/limits';
import { noRoom } from '../admission/session-limits.ts';

/** The part of a client's session that is needed to end it. */
export interface HttpSession {
  /** The client it belongs to; no other client may use it. */
  readonly owner: string;
  /** The account it counts for. */
  readonly account: string;
  /** None of its responses is open. */
  unused?(): void;
  close(): Promise<void>;
}

interface Kept<S> {
  session: S;
  openResponses: number;
  lastUsed: number;
}

/**
 * The sessions of a door. Clients rarely end them: one without an open stream is ended after a long silence, or
 * when there are too many.
 */
export class HttpSessions<S extends HttpSession> {
  readonly #idleMs: number;
  readonly #room: Room;
  readonly #onerror: (error: unknown) => void;
  /** In the order of their last use. */
  readonly #kept = new Map<string, Kept<S>>();
  readonly #sweep: NodeJS.Timeout;

  constructor(limits: { idleMs: number; room: Room; onerror(error: unknown): void }) {
    this.#idleMs = limits.idleMs;
    this.#room = limits.room;
    this.#onerror = limits.onerror;
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(limits.idleMs, 60_000)).unref();
  }

  get size(): number {
    return this.#kept.size;
  }

  add(id: string, session: S): void {
    this.#kept.set(id, { session, openResponses: 0, lastUsed: performance.now() });
  }

  /**
   * Throws unless there is room for another session of the account, or an idle one can be ended. True if the account
   * is at its limit, and one of its own was ended.
   */
  makeRoomFor(account: string): boolean {
    const present = [...this.#kept].map(([key, { session: one, openResponses }]) => ({
      id: key,
      account: one.account,
      isIdle: openResponses === 0,
    }));
    const { leaves, full } = makeRoom(present, account, this.#room);
    if (full) throw noRoom(full, this.#room);
    if (leaves) this.#end(leaves.id).catch(this.#onerror);
    return leaves?.account === account;
  }

  /** The session with that id, if it belongs to the owner; it is in use until the response has ended. */
  use(id: string, owner: string, response: ServerResponse): S | undefined {
    const kept = this.#kept.get(id);
    if (kept?.session.owner !== owner) return undefined;
    this.#touch(id, kept);
    kept.openResponses += 1;
    response.once('close', () => {
      kept.openResponses -= 1;
      if (!this.#kept.has(id)) return;
      this.#touch(id, kept);
      if (kept.openResponses === 0) kept.session.unused?.();
    });
    return kept.session;
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#kept.keys()].map((id) => this.#end(id)));
  }

  #touch(id: string, kept: Kept<S>): void {
    kept.lastUsed = performance.now();
    this.#kept.delete(id);
    this.#kept.set(id, kept);
  }

  #endIdle(): void {
    const limit = performance.now() - this.#idleMs;
    for (const [id, { openResponses, lastUsed }] of [...this.#kept]) {
      if (openResponses === 0 && lastUsed < limit) this.#end(id).catch(this.#onerror);
    }
  }

  async #end(id: string): Promise<void> {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    await kept?.session.close();
  }
}
