import type { Dialect } from '../dialects.ts';

/** Column values: flags are 0 and 1, lists and objects are JSON text. */
export type Value = string | number | null | Uint8Array;
export type Row = Record<string, Value>;

/** Parameters are `?`, fragments that differ between databases `{{word}}` (see `dialects.ts`). */
export interface Statement {
  sql: string;
  params: Value[];
}

/**
 * One operation, written once for all databases: it yields statements and gets their rows.
 * SQLite runs it in one go, PostgreSQL waits between the steps.
 */
export type Script<Result> = Generator<Statement | Translated, Result, Row[]>;

/** A statement with one version per database. */
export type Translated = Record<Dialect['name'], Statement>;

export const inWordsOf = (statement: Statement | Translated, dialect: Dialect['name']): Statement =>
  'sql' in statement ? statement : statement[dialect];

/** Runs one statement inside a script; `R` is what its SQL selects. */
export function* rows<R = Row>(sql: string, params: Value[] = []): Script<R[]> {
  return (yield { sql, params: params.map(storable) }) as R[];
}

export function* translatedRows<R = Row>(statement: Translated): Script<R[]> {
  return (yield statement) as R[];
}

export function runScript<Result>(
  script: Script<Result>,
  execute: (statement: Statement | Translated) => Row[],
): Result {
  let step = script.next();
  while (!step.done) step = script.next(execute(step.value));
  return step.value;
}

export async function runScriptAsync<Result>(
  script: Script<Result>,
  execute: (statement: Statement | Translated) => Promise<Row[]>,
): Promise<Result> {
  let step = script.next();
  while (!step.done) step = script.next(await execute(step.value));
  return step.value;
}

/** Text that every database can store: U+0000 and lone surrogates become U+FFFD. */
export const storable = <T extends Value>(value: T): T =>
  typeof value === 'string' ? (value.toWellFormed().replaceAll('\0', '\ufffd') as T) : value;

export const flag = (value: boolean): 0 | 1 => (value ? 1 : 0);
export const orNull = <T extends Value>(value: T | undefined): T | null => value ?? null;
