import type { RelayError } from '@agent-relay/protocol';
import type { Store } from '../core/ports/store.ts';

interface StoreOptions {
  /** Called when the database can no longer be trusted: the process must exit. */
  onFatal: (error: RelayError) => void;
}

/** Opens `postgres://…`, or else the SQLite file at that path; creates or updates the schema. */
export async function openStore(location: string, options: StoreOptions): Promise<Store> {
  if (/^postgres(ql)?:\/\//.test(location)) {
    const { openPostgresStore } = await import('./postgres/store.ts');
    return openPostgresStore(location);
  }
  const { openSqliteStore } = await import('./sqlite/store.ts');
  return openSqliteStore(location, options);
}
