import type { ReasonInput } from '@agent-relay/protocol';
import type { Hold } from '../delivery/hold.ts';
import type { HookReport } from './hook-report.ts';

/** What the failure of a turn means for messages; undefined if the next turn may well succeed. */
export type ReadFailure = (error: string, details: string) => ReasonInput | undefined;

/** What an agent is doing, by the word of its own hooks. */
export class HookTurns {
  readonly #readFailure: ReadFailure;
  readonly #hold: Hold;
  #isInTurn = false;
  #asks = false;
  #endedAt = 0;

  constructor(readFailure: ReadFailure, hold: Hold) {
    this.#readFailure = readFailure;
    this.#hold = hold;
  }

  get isInTurn(): boolean {
    return this.#isInTurn;
  }

  /** It asks the person whether it may use a tool, and nothing has happened since. */
  get asks(): boolean {
    return this.#asks;
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
        this.#hold.succeeded();
        break;
      case 'StopFailure':
        this.#end(startedAt);
        this.#hold.failed(this.#readFailure(error, details));
    }
  }

  /** The person ended the turn, of which hooks do not tell. */
  interrupted(): void {
    this.#isInTurn = false;
    this.#asks = false;
    this.#hold.interrupted();
  }

  #end(at: number): void {
    this.#isInTurn = false;
    this.#endedAt = at;
  }
}
