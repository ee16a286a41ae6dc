import type { Room } from '@agent-relay/platform/limits';
import { limitReached, RelayError } from '@agent-relay/protocol';

/** Whoever has enough already waits so long for the answer when it asks for more. */
export const ENOUGH_MS = 250;

/** Why somebody cannot have one more session. */
export const noRoom = (full: 'account' | 'all', { most, mostOfAccount }: Room): RelayError =>
  full === 'all'
    ? new RelayError('Overloaded', `${most} sessions are open, and all are in use.`, {
        next: 'Try again when a client has ended its session.',
      })
    : limitReached(
        'mcp.maxSessionsPerKey',
        mostOfAccount,
        `One key can have ${mostOfAccount} sessions in use.`,
        'End a session you no longer need.',
      );

/** The requests of each account that are being answered. */
export class OpenStreams {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a request until the function it returns is called; throws where there are too many. */
  take(account: string): () => void {
    const open = this.#open.get(account) ?? 0;
    if (open >= this.#most) {
      throw limitReached(
        'mcp.maxStreamsPerKey',
        this.#most,
        `One key can have ${this.#most} requests and streams open.`,
        'Close a stream you no longer need.',
      );
    }
    this.#open.set(account, open + 1);
    return () => {
      const left = (this.#open.get(account) ?? 1) - 1;
      if (left === 0) this.#open.delete(account);
      else this.#open.set(account, left);
    };
  }
}
