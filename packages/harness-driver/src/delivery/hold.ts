import type { ReasonInput } from '@agent-relay/protocol';

/** After a turn that failed at a limit of unknown end, the next message is tried after so long; then twice as long, … */
const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 16 * FIRST_RETRY_MS;
/** Whoever interrupts an agent wants to say something: no message comes before. */
const AFTER_INTERRUPTION_MS = 10_000;

/** Why no message should go into an agent by any way, although one could. */
export class Hold {
  readonly #changed: () => void;
  #reason: ReasonInput | undefined;
  #retryMs = FIRST_RETRY_MS;
  #timer: NodeJS.Timeout | undefined;

  /** `changed` is called when a hold has passed by itself. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get reason(): ReasonInput | undefined {
    return this.#reason;
  }

  /** A turn failed. A limit passes by itself; whatever else is wrong, somebody has to do something about it. */
  failed(reason: ReasonInput | undefined): void {
    this.#set(reason);
    if (reason?.code !== 'usage_limit') return;
    this.#set({ ...reason, until: Date.now() + this.#retryMs }, this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, LONGEST_RETRY_MS);
  }

  /** A turn succeeded, or another session began. */
  succeeded(): void {
    this.#retryMs = FIRST_RETRY_MS;
    this.#set(undefined);
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
