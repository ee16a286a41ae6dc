import type { AddressedMessage, ClaimingPath, ReasonInput } from '@agent-relay/protocol';
import type { ClientSession } from '../connection/client-session.ts';

/**
 * For programs that put an agent's messages into another program's context. They are notified with the event
 * `mail.claimable`, claim messages when they can deliver them, and report what they observed.
 */
export class Paths {
  readonly #session: ClientSession;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  /**
   * Takes the oldest unclaimed messages. From now on they belong to this program: no other path delivers them until it
   * refuses them. Those it claimed before and has not reported on come first.
   */
  async claim(path: ClaimingPath, options: { limit?: number } = {}): Promise<AddressedMessage[]> {
    return (await this.#session.request('CLAIM', { path, ...options })).messages;
  }

  /** Reports what was observed of claimed messages; resolves with how many changed. */
  async report(
    path: ClaimingPath,
    messages: string | string[],
    state: 'injected' | 'turn_started' | 'refused' | 'uncertain',
    reason?: ReasonInput,
  ): Promise<number> {
    const ids = typeof messages === 'string' ? [messages] : messages;
    if (ids.length === 0) return 0;
    const why = reason === undefined ? {} : { reason };
    return (await this.#session.request('REPORT', { path, messages: ids, state, ...why })).changed;
  }

  /** The path can deliver now; `doubt`: why it may still fail. */
  async ready(path: ClaimingPath, doubt?: ReasonInput): Promise<void> {
    await this.#session.request('REPORT', { path, state: 'ready', ...(doubt && { reason: doubt }) });
  }

  /** The path cannot deliver now; `trace` and `who` show why. */
  async waits(path: ClaimingPath, reason: ReasonInput): Promise<void> {
    await this.#session.request('REPORT', { path, state: 'waits', reason });
  }
}
