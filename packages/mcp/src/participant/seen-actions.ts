import { createHash } from 'node:crypto';
import { actionKey } from '@agent-relay/protocol';
import type { ActionInfo, Relay } from '@agent-relay/sdk';

/** How many names of removed actions are remembered. */
const MAX_KNOWN = 5000;

/** The actions that a session may invoke, and whether they changed since they were last read. */
export class SeenActions {
  readonly #relay: () => Promise<Relay>;
  /** A digest: a thousand sessions do not keep a copy each. */
  #seen = createHash('sha256').digest('base64');
  /** The keys of all that were seen, the latest last. */
  readonly #known = new Set<string>();
  /** The latest look at them. */
  #looking = Promise.resolve();
  #isLookPlanned = false;

  constructor(relay: () => Promise<Relay>) {
    this.#relay = relay;
  }

  /** Shows each of them. They are read by pages: all of a project together may be large. */
  async each(visit: (action: ActionInfo) => void): Promise<void> {
    const relay = await this.#relay();
    const digest = createHash('sha256');
    let cursor: string | undefined;
    do {
      const { actions, next } = await relay.request('ACTIONS', { cursor });
      for (const action of actions) {
        digest.update(JSON.stringify(action));
        this.#remember(actionKey(action.name));
        visit(action);
      }
      cursor = next;
    } while (cursor !== undefined);
    this.#seen = digest.digest('base64');
  }

  /** Whether there is or was such an action. */
  knew(name: string): boolean {
    return this.#known.has(actionKey(name));
  }

  #remember(key: string): void {
    this.#known.delete(key);
    this.#known.add(key);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Calls `changed` if they changed. One check runs at a time; requests meanwhile cause one more. */
  look(changed: () => void): void {
    if (this.#isLookPlanned) return;
    this.#isLookPlanned = true;
    this.#looking = this.#looking.then(async () => {
      this.#isLookPlanned = false;
      const before = this.#seen;
      // If the daemon is gone, they are read again after the reconnect.
      await this.each(() => undefined).catch(() => undefined);
      if (this.#seen !== before) changed();
    });
  }
}
