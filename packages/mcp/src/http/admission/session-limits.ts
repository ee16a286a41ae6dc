import type { Room } from '@agent-relay/platform/limits';
import { limitReached, RelayError } from '@agent-relay/protocol';

/** How long a refusal is delayed for an account that is at its limit. */
export const ENOUGH_MS = 250;

/** The error if there is no room for another session. */
export const noRoom = (full: 'account' | 'all', { most, mostOfAccount }: Room): RelayError =>
  full === 'all'
    ? new RelayError('Overloaded', `${most} sessions are open, and all are in use.`, {
        next: 'Try again when another session has ended.',
      })
    : limitReached(
        'mcp.maxSessionsPerKey',
        mostOfAccount,
        `One key can have ${mostOfAccount} sessions in use.`,
        'End a session you no longer need.',
      );

interface OpenOfAccount {
  requests: number;
  bytes: number;
}

/** The requests of each account that are being answered, and the bytes of their bodies, which are kept as long. */
export class OpenStreams {
  readonly #most: OpenOfAccount;
  readonly #open = new Map<string, OpenOfAccount>();

  constructor(most: OpenOfAccount) {
    this.#most = most;
  }

  /** Counts a request until the returned function is called; throws if there are too many. */
  take(account: string, bytes: number): () => void {
    const open = this.#open.get(account) ?? { requests: 0, bytes: 0 };
    if (open.requests >= this.#most.requests) {
      throw limitReached(
        'mcp.maxStreamsPerKey',
        this.#most.requests,
        `One key can have ${this.#most.requests} requests and streams open.`,
        'Close a stream you no longer need.',
      );
    }
    if (open.bytes + bytes > this.#most.bytes) {
      throw limitReached(
        'mcp.maxRequestBytesPerKey',
        this.#most.bytes,
        `The open requests of one key can have ${this.#most.bytes} bytes together.`,
        'Wait until one of them is answered.',
      );
    }
    this.#open.set(account, open);
    open.requests += 1;
    open.bytes += bytes;
    return () => {
      open.requests -= 1;
      open.bytes -= bytes;
      if (open.requests === 0) this.#open.delete(account);
    };
  }
}
