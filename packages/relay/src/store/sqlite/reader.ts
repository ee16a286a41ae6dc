import { queries, type ScriptCall, scriptOf } from '../scripts/index.ts';
import type { Database } from './database.ts';
import type { BatchResult, Call } from './threads.ts';

/** The reader, on a read-only connection. */
export class Reader {
  readonly #connection: Database;

  constructor(connection: Database) {
    this.#connection = connection;
  }

  run(calls: Call[]): BatchResult {
    // Only the writer appends.
    const values = calls.map((call) => this.#connection.run(scriptOf(queries, call as ScriptCall)));
    return { values, failures: [] };
  }

  close(): void {
    this.#connection.close();
  }
}
