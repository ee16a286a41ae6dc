import { createHash } from 'node:crypto';
import { actionKey } from '@agent-relay/protocol';
import type { ActionInfo, Relay } from '@agent-relay/sdk';

/** How many names of removed actions are remembered. */
const MAX_KNOWN = 5000;

/** The actions that a session may invoke, and whether they changed since they were last read. */
export class SeenActions {
  readonly #relay: () => Promise<Relay>;
  /** A digest: a thousand sessions do not keep a copy each. */
  #seen = digestOf([]);
  /** The keys of all that were seen, the latest last. */
  readonly #known = new Set<string>();
  /** The latest look at them. */
  #looking = Promise.resolve();
  #isLookPlanned = false;

  constructor(relay: () => Promise<Relay>) {
    this.#relay = relay;
  }

  async list(): Promise<ActionInfo[]> {
    const actions = await (await this.#relay()).actions();
    this.#seen = digestOf(actions);
    for (const { name } of actions) this.#remember(actionKey(name));
    return actions;
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
      await this.list().catch(() => undefined);
      if (this.#seen !== before) changed();
    });
  }
}

const digestOf = (actions: readonly ActionInfo[]): string =>
  createHash('sha256').update(JSON.stringify(actions)).digest('base64');
