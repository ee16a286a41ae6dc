import type { ReasonInput } from '@agent-relay/protocol';
import type { HookReport } from './hook-report.ts';

/** After a turn that failed at a limit of unknown end, the next message is tried after so long; then twice as long, … */
const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 16 * FIRST_RETRY_MS;

/** What the failure of a turn means for messages; undefined if the next turn may well succeed. */
export type ReadFailure = (error: string, details: string) => ReasonInput | undefined;

/** What an agent is doing, by the word of its own hooks. */
export class HookTurns {
  readonly #readFailure: ReadFailure;
  readonly #changed: () => void;
  #isInTurn = false;
  #asks = false;
  #endedAt = 0;
  #failure: ReasonInput | undefined;
  #retryMs = FIRST_RETRY_MS;
  #retry: NodeJS.Timeout | undefined;

  /** `changed` is called when something has changed that no report tells of. */
  constructor(readFailure: ReadFailure, changed: () => void) {
    this.#readFailure = readFailure;
    this.#changed = changed;
  }

  get isInTurn(): boolean {
    return this.#isInTurn;
  }

  /** It asks the person whether it may use a tool, and nothing has happened since. */
  get asks(): boolean {
    return this.#asks;
  }

  /** Why no message should go in, although one could. */
  get failure(): ReasonInput | undefined {
    return this.#failure;
  }

  note({ event, startedAt, isSubagent, error = '', details = '' }: HookReport): void {
    if (isSubagent) return;
    this.#asks = event === 'PermissionRequest';
    switch (event) {
      case 'UserPromptSubmit':
        // What is told late may be over.
        this.#isInTurn = startedAt > this.#endedAt;
        break;
      case 'Stop':
      case 'SessionStart':
        this.#end(startedAt);
        this.#retryMs = FIRST_RETRY_MS;
        this.#fail(undefined);
        break;
      case 'StopFailure':
        this.#end(startedAt);
        this.#fail(this.#readFailure(error, details));
    }
  }

  /** The person ended the turn, of which hooks do not tell. */
  interrupted(): void {
    this.#isInTurn = false;
    this.#asks = false;
  }

  close(): void {
    clearTimeout(this.#retry);
  }

  #end(at: number): void {
    this.#isInTurn = false;
    this.#endedAt = at;
  }

  /** A limit passes by itself; whatever else is wrong, somebody has to do something about it. */
  #fail(failure: ReasonInput | undefined): void {
    clearTimeout(this.#retry);
    this.#failure = failure;
    if (failure?.code !== 'usage_limit') return;
    this.#failure = { ...failure, until: Date.now() + this.#retryMs };
    this.#retry = setTimeout(() => {
      this.#failure = undefined;
      this.#changed();
    }, this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, LONGEST_RETRY_MS);
  }
}
