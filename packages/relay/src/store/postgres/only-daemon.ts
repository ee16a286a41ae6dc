import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RelayError } from '@agent-relay/protocol';
import { type Queryable, query } from './database.ts';

/** Its numbers mean nothing. */
const LOCK = '7236, 837202';
const IS_LOCK = "locktype = 'advisory' AND classid = 7236 AND objid = 837202 AND objsubid = 2";
/** A daemon that stops or was killed is noticed by the server at once, unless it is busy. */
const PATIENCE_MS = 3_000;
const EVERY_MS = 50;

/**
 * The server ends the session of a machine that is gone, and so its lock, after a minute. The other side notices after 20
 * seconds that the server is gone (see `connect`).
 */
const KEEPALIVE =
  'SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3';

/** A session of the server, which may have a successor with the same process id. */
interface Session {
  pid: number;
  startedAt: string;
}
const SESSION =
  'SELECT pid, backend_start::text AS "startedAt" FROM pg_stat_activity WHERE pid = pg_backend_pid()';
const END_SESSION =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2::text::timestamptz';

/** Who took the lock last. */
const TABLE =
  'CREATE TABLE IF NOT EXISTS only_daemon (id TEXT NOT NULL, name TEXT NOT NULL, since TIMESTAMPTZ NOT NULL)';
interface Holder {
  id: string;
  name: string;
  since: Date;
}

/**
 * Keeps a second daemon from a database, until several can share one: then this file goes, with its use in `Writer`.
 *
 * The lock belongs to the session of the one connection that writes. It ends with it, however the daemon ends, and a daemon
 * that has lost the connection cannot write before it has the lock again: there is no time at which two can. If another one
 * had it meanwhile, what this one has in memory is out of date, and it must end.
 */
export class OnlyDaemon {
  readonly #id = randomUUID();
  readonly #name: string;
  readonly #onLost: (error: RelayError) => void;
  #held: Session | undefined;
  #lost: RelayError | undefined;

  /** `onLost` is called when another daemon has taken over: this one must end. */
  constructor(name: string, onLost: (error: RelayError) => void) {
    this.#name = name;
    this.#onLost = onLost;
  }

  /** Takes the lock for a new connection. Throws `DatabaseInUse` if another daemon has it, or had it meanwhile. */
  async take(db: Queryable): Promise<void> {
    if (this.#lost) throw this.#lost;
    await requireOwnSession(db);
    await query(db, KEEPALIVE);
    // The server may not have noticed yet that this daemon has lost its connection.
    if (this.#held) await query(db, END_SESSION, [this.#held.pid, this.#held.startedAt]);
    const end = performance.now() + PATIENCE_MS;
    while (!(await isTaken(db))) {
      if (performance.now() < end) await delay(EVERY_MS);
      else throw this.#refused(await holderIn(db));
    }
    if (!this.#held) await this.#sign(db);
    const holder = await holderIn(db);
    if (holder?.id !== this.#id) throw this.#refused(holder);
    [this.#held] = await query<Session>(db, SESSION);
  }

  async #sign(db: Queryable): Promise<void> {
    await query(db, TABLE);
    await query(db, 'DELETE FROM only_daemon');
    await query(db, 'INSERT INTO only_daemon (id, name, since) VALUES ($1, $2, now())', [
      this.#id,
      this.#name,
    ]);
  }

  #refused(holder: Holder | undefined): RelayError {
    const who = holder ? `${holder.name}, since ${holder.since.toISOString()}` : 'another machine';
    const error = new RelayError('DatabaseInUse', `The database is used by the daemon on ${who}.`);
    if (this.#held) {
      this.#lost = error;
      this.#onLost(error);
    }
    return error;
  }
}

/**
 * Throws if the session of this connection holds the lock already: it is then shared with another connection, by a pooler
 * that gives out its sessions for one transaction each.
 */
export async function requireOwnSession(db: Queryable): Promise<void> {
  const held = await query(db, `SELECT FROM pg_locks WHERE ${IS_LOCK} AND pid = pg_backend_pid()`);
  if (held.length === 0) return;
  throw new RelayError('InvalidSettings', 'The database is behind a pooler that shares sessions.', {
    next: 'Connect to PostgreSQL directly, or set the pooler to session mode (PgBouncer: pool_mode = session).',
  });
}

async function isTaken(db: Queryable): Promise<boolean> {
  const [answer] = await query<{ taken: boolean }>(db, `SELECT pg_try_advisory_lock(${LOCK}) AS taken`);
  return answer?.taken === true;
}

async function holderIn(db: Queryable): Promise<Holder | undefined> {
  const [holder] = await query<Holder>(db, 'SELECT id, name, since FROM only_daemon');
  return holder;
}
