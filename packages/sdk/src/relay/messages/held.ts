import type { HeldInfo } from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';

/** Messages held by the loop governor, for the owner of the project. */
export class HeldMessages {
  readonly #session: ClientSession;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  async list(): Promise<HeldInfo[]> {
    return (await this.#session.request('HELD_LIST', {})).held;
  }

  /** Delivers them as if they were sent now, and resumes the conversation; resolves with how many. */
  async release(ids: string | string[]): Promise<number> {
    return (await this.#settle(ids, false)).released;
  }

  /** Discards them: nobody will get them. Resolves with how many. */
  async discard(ids: string | string[]): Promise<number> {
    return (await this.#settle(ids, true)).discarded;
  }

  #settle(ids: string | string[], discard: boolean) {
    return this.#session.request('HELD_RELEASE', { ids: typeof ids === 'string' ? [ids] : ids, discard });
  }
}
