import { hashSecret, newPageCode } from '@agent-relay/platform/secrets';
import type { Clock } from '../ports/clock.ts';

/** Links nobody used yet; beyond so many the oldest is not valid any more. */
const MAX_OPEN = 100;

/** One-time codes that sign a browser in. In memory only: after a restart one asks for a new link. */
export class Links {
  readonly #clock: Clock;
  readonly #validMs: number;
  readonly #open = new Map<string, { workspaceId: number; expiresAt: number }>();

  constructor(clock: Clock, validMs: number) {
    this.#clock = clock;
    this.#validMs = validMs;
  }

  create(workspaceId: number): { code: string; expiresAt: number } {
    const code = newPageCode();
    const expiresAt = this.#clock.now() + this.#validMs;
    this.#open.set(hashSecret(code), { workspaceId, expiresAt });
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    return { code, expiresAt };
  }

  /** The workspace a code leads to, once; undefined if it was used, has expired, or never was one. */
  use(code: string): number | undefined {
    const hash = hashSecret(code);
    const link = this.#open.get(hash);
    this.#open.delete(hash);
    return link && link.expiresAt > this.#clock.now() ? link.workspaceId : undefined;
  }
}
