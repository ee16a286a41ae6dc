import pg from 'pg';
import { inDialect, POSTGRES } from '../dialects.ts';
import { inWordsOf, type Row, runScriptAsync, type Script, type Value } from '../scripts/script.ts';

/** Connections to one database; a broken one is replaced by the next call that needs it. */
export function connect(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 0,
    keepAlive: true,
    application_name: 'agent-relay',
    // A daemon that hangs in the middle of a batch must not keep the others from writing.
    idle_in_transaction_session_timeout: 10_000,
    lock_timeout: 30_000,
    types: { getTypeParser: typeParser },
  });
  // The next statement on a broken connection tells; without a listener the event would end the process.
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
  // Statements without parameters are few, and some of them (BEGIN with company) cannot be prepared.
  const prepared = params.length > 0 ? { name: preparedName(sql), text: sql, values: params } : { text: sql };
  return (await db.query(prepared)).rows as R[];
}

export const run = <Result>(db: Queryable, script: Script<Result>): Promise<Result> =>
  runScriptAsync(script, (statement) => {
    const { sql, params } = inWordsOf(statement, 'postgres');
    return query(db, toPostgres(sql), params);
  });

/** Computes once for each text: the scripts have a few dozen. */
function remembered(compute: (sql: string, index: number) => string): (sql: string) => string {
  const results = new Map<string, string>();
  return (sql) => {
    const known = results.get(sql) ?? compute(sql, results.size);
    results.set(sql, known);
    return known;
  };
}

const preparedName = remembered((_, index) => `relay_${index}`);

/** The words of this database, and `$1` for the first `?`. */
const toPostgres = remembered((sql) => {
  let position = 0;
  return inDialect(sql, POSTGRES).replaceAll('?', () => `$${++position}`);
});

/** Numbers of 8 bytes stay below 2^53 here: times, and ids that are counted up. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);
