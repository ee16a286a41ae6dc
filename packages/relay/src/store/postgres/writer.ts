import { setTimeout as delay } from 'node:timers/promises';
import { isRelayError } from '@agent-relay/protocol';
import type pg from 'pg';
import type { MessageDraft } from '../../core/ports/store/messages.ts';
import { POSTGRES } from '../dialects.ts';
import type { Outcome } from '../group-commit.ts';
import { migrate } from '../migrations/index.ts';
import { commands, type ScriptCall, scriptOf } from '../scripts/index.ts';
import { appendRun } from './append.ts';
import { connect, type Queryable, query, run } from './database.ts';
import { isOwnFault, toRelayError } from './failures.ts';
import type { OnlyDaemon } from './only-daemon.ts';

export type Call = ScriptCall | MessageDraft;

/**
 * The lock is held by every transaction that writes, to its end: with several daemons on one database the sequence
 * numbers still grow in the order of the commits, and no two batches can wait for each other's rows. Its number means
 * nothing. A commit is confirmed only when it is on disk, whatever the server's default.
 */
const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_advisory_xact_lock(7236837201)';

/** How often a lost connection is tried again while nothing is written. */
const RETRY_MS = 1_000;

/** The writer, on one connection: each batch is one transaction. */
export class Writer {
  readonly #pool: pg.Pool;
  readonly #only: OnlyDaemon | undefined;
  /** The connection that holds the lock of the only daemon. */
  #holder: pg.PoolClient | undefined;
  #isClosed = false;

  /** `only`: another daemon on the same database is refused. */
  constructor(url: string, only?: OnlyDaemon) {
    this.#pool = connect(url, 1);
    this.#only = only;
    this.#pool.on('remove', (client) => {
      if (client === this.#holder && only) void this.#regain();
    });
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
    this.#isClosed = true;
    return this.#pool.end();
  }

  /** Without a write, a daemon would not notice that it lost its connection, and that another one took over. */
  async #regain(): Promise<void> {
    while (!this.#isClosed && !(await this.#isConnected())) await delay(RETRY_MS, undefined, { ref: false });
  }

  async #isConnected(): Promise<boolean> {
    try {
      (await this.#connect()).release();
      return true;
    } catch (error) {
      // Whoever else uses the database is reported by `OnlyDaemon`; an unavailable server may come back.
      return isRelayError(error, 'DatabaseInUse');
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    if (client === this.#holder) return client;
    try {
      await this.#only?.take(client);
      this.#holder = client;
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
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
    const client = await this.#connect();
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
