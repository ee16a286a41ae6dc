import type { Store } from '../core/ports/store.ts';
import type { StoreOptions } from './options.ts';

/** Opens `postgres://…`, or else the SQLite file at that path; creates or updates the schema. */
export async function openStore(location: string, options: StoreOptions): Promise<Store> {
  if (/^postgres(ql)?:\/\//.test(location)) {
    const { openPostgresStore } = await import('./postgres/store.ts');
    return openPostgresStore(location, options);
  }
  const { openSqliteStore } = await import('./sqlite/store.ts');
  return openSqliteStore(location, options);
}
