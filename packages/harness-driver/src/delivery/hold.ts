import type { ReasonInput } from '@agent-relay/protocol';

/** Retry delay after a turn failed at a limit of unknown duration; doubles each time. */
const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 16 * FIRST_RETRY_MS;
/** A person who interrupts an agent wants to say something first. */
const AFTER_INTERRUPTION_MS = 10_000;

/** Why no message should be delivered by any path, although it would be possible. */
export class Hold {
  readonly #changed: () => void;
  #reason: ReasonInput | undefined;
  #retryMs = FIRST_RETRY_MS;
  #timer: NodeJS.Timeout | undefined;

  /** `changed` is called when a hold expires. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get reason(): ReasonInput | undefined {
    return this.#reason;
  }

  /** A turn failed. A limit passes on its own; anything else needs a person. */
  failed(reason: ReasonInput | undefined): void {
    this.#set(reason);
    if (reason?.code !== 'usage_limit') return;
    this.#set({ ...reason, until: Date.now() + this.#retryMs }, this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, LONGEST_RETRY_MS);
  }

  /** A turn succeeded, or another session started. */
  succeeded(): void {
    this.#retryMs = FIRST_RETRY_MS;
    this.#set(undefined);
  }

  /** The person has opened another session: there is room in its context. */
  anotherSession(): void {
    if (this.#reason?.code === 'context_full') this.#set(undefined);
  }

  /** The person ended the turn. */
  interrupted(): void {
    this.#set({ code: 'interrupted' }, AFTER_INTERRUPTION_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #set(reason: ReasonInput | undefined, passesInMs?: number): void {
    clearTimeout(this.#timer);
    this.#reason = reason;
    if (passesInMs === undefined) return;
    this.#timer = setTimeout(() => {
      this.#reason = undefined;
      this.#changed();
    }, passesInMs);
  }
}
