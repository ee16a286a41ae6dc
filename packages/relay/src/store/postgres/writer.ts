import type pg from 'pg';
import type { MessageDraft } from '../../core/ports/store/messages.ts';
import { POSTGRES } from '../dialects.ts';
import type { Outcome } from '../group-commit.ts';
import { migrate } from '../migrations/index.ts';
import { commands, type ScriptCall, scriptOf } from '../scripts/index.ts';
import { appendRun } from './append.ts';
import { connect, type Queryable, query, run } from './database.ts';
import { isOwnFault, toRelayError } from './failures.ts';

export type Call = ScriptCall | MessageDraft;

/**
 * The lock is held by every transaction that writes, to its end: with several daemons on one database the sequence
 * numbers still grow in the order of the commits, and no two batches can wait for each other's rows. Its number means
 * nothing. A commit is confirmed only when it is on disk, whatever the server's default.
 */
const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_advisory_xact_lock(7236837201)';

/** The writer, on one connection: each batch is one transaction. */
export class Writer {
  readonly #pool: pg.Pool;

  constructor(url: string) {
    this.#pool = connect(url, 1);
  }

  migrate(): Promise<void> {
    return this.#transaction((db) => run(db, migrate(POSTGRES)));
  }

  /** Never rejects; if the database fails, every call of the batch fails. */
  async commit(calls: Call[]): Promise<Outcome[]> {
    try {
      return await this.#commitTogether(calls);
    } catch (error) {
      const failed = { error: toRelayError(error) };
      return calls.map(() => failed);
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #commitTogether(calls: Call[]): Promise<Outcome[]> {
    try {
      const values = await this.#transaction((db) => applyAll(db, calls));
      return values.map((value) => ({ value }));
    } catch (error) {
      if (!isOwnFault(error)) throw error;
    }
    return this.#transaction((db) => applyOneByOne(db, calls));
  }

  async #transaction<Result>(work: (db: Queryable) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    let usable = false;
    try {
      await query(client, BEGIN);
      const result = await work(client);
      await query(client, 'COMMIT');
      usable = true;
      return result;
    } catch (error) {
      if (isOwnFault(error)) {
        await query(client, 'ROLLBACK');
        usable = true;
      }
      throw error;
    } finally {
      client.release(!usable);
    }
  }
}

/** Applies calls in order; consecutive messages are combined. */
async function applyAll(db: Queryable, calls: Call[]): Promise<unknown[]> {
  const values: unknown[] = [];
  let drafts: MessageDraft[] = [];
  const appendDrafts = async () => {
    if (drafts.length > 0) values.push(...(await appendRun(db, drafts)));
    drafts = [];
  };
  for (const call of calls) {
    if (Array.isArray(call)) {
      await appendDrafts();
      values.push(await run(db, scriptOf(commands, call)));
    } else {
      drafts.push(call);
    }
  }
  await appendDrafts();
  return values;
}

/** The slow path, for a batch with a failing call: savepoints keep the others. */
async function applyOneByOne(db: Queryable, calls: Call[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const call of calls) {
    await query(db, 'SAVEPOINT call');
    try {
      const [value] = await applyAll(db, [call]);
      outcomes.push({ value });
    } catch (error) {
      if (!isOwnFault(error)) throw error;
      await query(db, 'ROLLBACK TO call');
      outcomes.push({ error: toRelayError(error) });
    }
    await query(db, 'RELEASE call');
  }
  return outcomes;
}
