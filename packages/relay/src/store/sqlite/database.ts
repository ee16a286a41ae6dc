import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { inDialect, SQLITE } from '../dialects.ts';
import type { Row, Script, Statement, Translated } from '../scripts/script.ts';
import { inWordsOf, runScript } from '../scripts/script.ts';
import { ensurePrivate, refuseLostDatabase } from './files.ts';

const BUSY_MS = 5000;
const CACHE_KIBIBYTES = 8 * 1024;
/** Checkpoints copy the log into the database; fewer ones disturb the writer less, and the log stays small enough. */
const CHECKPOINT_PAGES = 4096;
const LOG_BYTES = 64 * 1024 * 1024;

/** One open database file with its prepared statements. */
export class Database {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  private constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.#database = database;
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA cache_size = -${CACHE_KIBIBYTES}`);
  }

  /** For the writer; creates the file, private to its owner (SQLite gives the log the same mode). */
  static forWriting(path: string): Database {
    refuseLostDatabase(path);
    ensurePrivate(path);
    const connection = new Database(path, new DatabaseSync(path, { enableForeignKeyConstraints: true }));
    connection.#database.exec(`
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA fullfsync = ON;
      PRAGMA checkpoint_fullfsync = ON;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA journal_size_limit = ${LOG_BYTES};
      PRAGMA secure_delete = ON;
    `);
    return connection;
  }

  static forReading(path: string): Database {
    return new Database(path, new DatabaseSync(path, { readOnly: true }));
  }

  prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (!statement) {
      statement = this.#database.prepare(inDialect(sql, SQLITE));
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  execute(statement: Statement | Translated): Row[] {
    const { sql, params } = inWordsOf(statement, 'sqlite');
    return this.prepare(sql).all(...params) as Row[];
  }

  run<Result>(script: Script<Result>): Result {
    return runScript(script, (statement) => this.execute(statement));
  }

  /** Runs `work` in one transaction: all of it is on disk when this returns, none of it if it throws. */
  transaction<Result>(work: () => Result): Result {
    this.prepare('BEGIN IMMEDIATE').run();
    try {
      const result = work();
      this.prepare('COMMIT').run();
      return result;
    } catch (error) {
      // Some failures (a full disk) have already ended the transaction.
      if (this.#database.isTransaction) this.prepare('ROLLBACK').run();
      throw error;
    }
  }

  /** Like `transaction`, for a part of one. */
  savepoint<Result>(work: () => Result): Result {
    this.prepare('SAVEPOINT part').run();
    try {
      const result = work();
      this.prepare('RELEASE part').run();
      return result;
    } catch (error) {
      if (this.#database.isTransaction) {
        this.prepare('ROLLBACK TO part').run();
        this.prepare('RELEASE part').run();
      }
      throw error;
    }
  }

  /** Copies the log into the database and truncates it; false if a reader still uses it. */
  emptyLog(): boolean {
    this.#database.exec('PRAGMA busy_timeout = 50');
    try {
      const [outcome] = this.execute({ sql: 'PRAGMA wal_checkpoint(TRUNCATE)', params: [] });
      return outcome?.busy === 0;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    }
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }
}
