import type { ServerResponse } from 'node:http';
import { makeRoom, type Room } from '@agent-relay/platform/limits';
import { noRoom } from '../admission/session-limits.ts';

/** A client's session, as far as its end is concerned. */
export interface HttpSession {
  /** Whose it is; nobody else may use it. */
  readonly owner: string;
  /** Whom it counts for. */
  readonly account: string;
  /** No response of it is open any more. */
  unused?(): void;
  close(): Promise<void>;
}

interface Kept<S> {
  session: S;
  openResponses: number;
  lastUsed: number;
}

/**
 * The sessions of a door. Clients seldom say good-bye: one that has no stream open is ended after a long silence, or
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
   * Throws unless there is room for one more session of the account, or can be made. True if the account has as many as
   * it may, and one of its own had to go.
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

  /** The session of that id, if it is the owner's; it counts as used until the response is over. */
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
