import type { Dialect } from '../dialects.ts';

/** Statements in order; one per database where they differ by more than a fragment. */
export type Migration = ReadonlyArray<string | Record<Dialect['name'], string>>;
