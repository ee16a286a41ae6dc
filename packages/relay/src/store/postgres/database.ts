import pg from 'pg';
import { inDialect, POSTGRES } from '../dialects.ts';
import { inWordsOf, type Row, runScriptAsync, type Script, type Value } from '../scripts/script.ts';

/** Connections to one database; the next call replaces a lost one. */
export function connect(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 0,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'agent-relay',
    // A daemon that hangs in the middle of a batch must not block others.
    idle_in_transaction_session_timeout: 10_000,
    lock_timeout: 30_000,
    types: { getTypeParser: typeParser },
  });
  // The next statement reports a lost connection; without a listener the event would crash the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** What statements run on: a pool, or one connection of it inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>;

export async function query<R extends object = Row>(
  db: Queryable,
  sql: string,
  params: Array<Value | Value[]> = [],
): Promise<R[]> {
  // Statements without parameters are few, and some (several in one text) cannot be prepared.
  const prepared = params.length > 0 ? { name: preparedName(sql), text: sql, values: params } : { text: sql };
  return (await db.query(prepared)).rows as R[];
}

export const run = <Result>(db: Queryable, script: Script<Result>): Promise<Result> =>
  runScriptAsync(script, (statement) => {
    const { sql, params } = inWordsOf(statement, 'postgres');
    return query(db, toPostgres(sql), params);
  });

/** Cached per text: the scripts have a few dozen. */
function remembered(compute: (sql: string, index: number) => string): (sql: string) => string {
  const results = new Map<string, string>();
  return (sql) => {
    const known = results.get(sql) ?? compute(sql, results.size);
    results.set(sql, known);
    return known;
  };
}

const preparedName = remembered((_, index) => `relay_${index}`);

/** Fills in this database's fragments, and `$1` for the first `?`. */
const toPostgres = remembered((sql) => {
  let position = 0;
  return inDialect(sql, POSTGRES).replaceAll('?', () => `$${++position}`);
});

/** 8-byte numbers stay below 2^53 here: times and sequential ids. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);
