import type { ReasonInput } from '@agent-relay/protocol';
import type { Hold } from '../delivery/hold.ts';
import type { HookReport } from './hook-report.ts';

/** What a failed turn means for messages; undefined if the next turn may succeed. */
export type ReadFailure = (error: string, details: string) => ReasonInput | undefined;

/** What an agent is doing, according to its hooks. */
export class HookTurns {
  readonly #readFailure: ReadFailure;
  readonly #hold: Hold;
  #isInTurn = false;
  #asks = false;
  #begunAt = 0;
  #endedAt = 0;

  constructor(readFailure: ReadFailure, hold: Hold) {
    this.#readFailure = readFailure;
    this.#hold = hold;
  }

  get isInTurn(): boolean {
    return this.#isInTurn;
  }

  /** It asked the person for permission to use a tool, and nothing has happened since. */
  get asks(): boolean {
    return this.#asks;
  }

  note({ event, startedAt, isSubagent, error = '', details = '' }: HookReport): void {
    if (isSubagent) return;
    this.#asks = event === 'PermissionRequest';
    switch (event) {
      case 'UserPromptSubmit':
        // A late report may be outdated.
        this.#isInTurn = startedAt > this.#endedAt;
        this.#begunAt = Math.max(this.#begunAt, startedAt);
        break;
      case 'Stop':
      case 'SessionStart':
        this.#end(startedAt);
        this.#hold.succeeded();
        break;
      case 'StopFailure':
        this.#end(startedAt);
        this.#hold.failed(this.#readFailure(error, details));
    }
  }

  /** The person has answered, which hooks do not report. */
  answered(): void {
    this.#asks = false;
  }

  /** The person ended the turn, which hooks do not report. */
  interrupted(): void {
    this.#isInTurn = false;
    this.#asks = false;
    this.#hold.interrupted();
  }

  /** What is told late may have ended an earlier turn. */
  #end(at: number): void {
    this.#isInTurn &&= at < this.#begunAt;
    this.#endedAt = Math.max(this.#endedAt, at);
  }
}
