/** The few SQL fragments in which the databases differ; scripts and migrations write them as `{{word}}`. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  readonly words: {
    /** The type of a primary key that the database counts up and never reuses. */
    readonly identity: string;
    /** Text compared byte by byte, whatever the server's locale. */
    readonly text: string;
    readonly bytes: string;
    /** After the columns of a table that is kept in the order of its primary key. */
    readonly keyed: string;
    /** Forces the index of deliveries (unread or read), or of the messages of a thread, where the planner would not use it. */
    readonly unread: string;
    readonly read: string;
    readonly thread: string;
    /** The numbers of one parameter, a JSON array, for `IN`, or as a table with the column `value`. */
    readonly numbers: string;
    /** The strings of one parameter, a JSON array, for `IN`. */
    readonly texts: string;
    /** The pairs of numbers of one parameter, a JSON array of arrays, as a table with columns `first` and `second`. */
    readonly pairs: string;
    /**
     * Between `each` and `end` is a query with one column `value` that may refer to the tables before it in FROM
     * and is run for each row of them; an alias follows.
     */
    readonly each: string;
    readonly end: string;
  };
}

export const SQLITE: Dialect = {
  name: 'sqlite',
  words: {
    identity: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    text: 'text',
    bytes: 'blob',
    keyed: 'WITHOUT ROWID',
    unread: 'INDEXED BY deliveries_unread',
    read: 'INDEXED BY deliveries_read',
    thread: 'INDEXED BY messages_by_thread',
    numbers: '(SELECT value FROM json_each(?))',
    texts: '(SELECT value FROM json_each(?))',
    pairs: '(SELECT value ->> 0 AS first, value ->> 1 AS second FROM json_each(?))',
    each: 'json_each((SELECT json_group_array(value) FROM (',
    end: ')))',
  },
};

export const POSTGRES: Dialect = {
  name: 'postgres',
  words: {
    identity: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    text: 'text COLLATE "C"',
    bytes: 'bytea',
    keyed: '',
    unread: '',
    read: '',
    thread: '',
    numbers: '(SELECT value::bigint FROM json_array_elements_text(?::text::json))',
    texts: '(SELECT json_array_elements_text(?::text::json))',
    pairs: `(SELECT (pair ->> 0)::bigint AS first, (pair ->> 1)::bigint AS second
             FROM json_array_elements(?::text::json) AS pair)`,
    each: 'LATERAL (',
    end: ')',
  },
};

export const inDialect = (sql: string, { words }: Dialect): string =>
  sql.replace(/\{\{(\w+)\}\}/g, (_, word: keyof Dialect['words']) => words[word]);
