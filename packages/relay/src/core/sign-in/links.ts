import { hashSecret, newPageCode } from '@agent-relay/platform/secrets';
import type { Clock } from '../ports/clock.ts';

/** The maximum number of unused links; beyond that the oldest becomes invalid. */
const MAX_OPEN = 100;

/** One-time codes that sign a browser in. In memory only: after a restart a new link is needed. */
export class Links {
  readonly #clock: Clock;
  readonly #validMs: number;
  readonly #open = new Map<string, { workspaceId: number; endsAt: number }>();

  constructor(clock: Clock, validMs: number) {
    this.#clock = clock;
    this.#validMs = validMs;
  }

  create(workspaceId: number): { code: string; expiresAt: number } {
    const code = newPageCode();
    this.#open.set(hashSecret(code), { workspaceId, endsAt: this.#clock.elapsed() + this.#validMs });
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    return { code, expiresAt: this.#clock.now() + this.#validMs };
  }

  /** The workspace of a code, once; undefined if it was used, has expired, or is unknown. */
  use(code: string): number | undefined {
    const hash = hashSecret(code);
    const link = this.#open.get(hash);
    this.#open.delete(hash);
    return link && link.endsAt > this.#clock.elapsed() ? link.workspaceId : undefined;
  }
}
