import type { RelayError } from '@agent-relay/protocol';
import type { Store } from '../core/ports/store.ts';

interface StoreOptions {
  /** The database can no longer be trusted with anything; whoever runs the store exits, loudly. */
  onFatal: (error: RelayError) => void;
}

/** Opens `postgres://…` or, for anything else, the SQLite file of that path; creates or updates the schema. */
export async function openStore(location: string, options: StoreOptions): Promise<Store> {
  if (/^postgres(ql)?:\/\//.test(location)) {
    const { openPostgresStore } = await import('./postgres/store.ts');
    return openPostgresStore(location);
  }
  const { openSqliteStore } = await import('./sqlite/store.ts');
  return openSqliteStore(location, options);
}
