import type { Dialect } from '../dialects.ts';

/** Statements in order; where the databases differ by more than a word, one statement for each. */
export type Migration = ReadonlyArray<string | Record<Dialect['name'], string>>;
