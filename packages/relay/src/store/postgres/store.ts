import type { Appended } from '../../core/ports/store/messages.ts';
import type { Store } from '../../core/ports/store.ts';
import { GroupCommit } from '../group-commit.ts';
import type { StoreOptions } from '../options.ts';
import { commands, methodsOf, queries, scriptOf } from '../scripts/index.ts';
import { methodsInSteps } from '../steps.ts';
import { connect, run } from './database.ts';
import { toRelayError } from './failures.ts';
import { OnlyDaemon, requireOwnSession } from './only-daemon.ts';
import { type Call, Writer } from './writer.ts';

const READING_CONNECTIONS = 4;

/** A store in a PostgreSQL database. Lost connections are reopened automatically. */
export async function openPostgresStore(url: string, { daemon, onFatal }: StoreOptions): Promise<Store> {
  const writer = new Writer(url, daemon === undefined ? undefined : new OnlyDaemon(daemon, onFatal));
  const readers = connect(url, READING_CONNECTIONS);
  const writes = new GroupCommit<Call>((calls) => writer.commit(calls));
  const close = async () => {
    await writes.settled();
    await Promise.all([writer.close(), readers.end()]);
  };
  try {
    await writer.migrate();
    if (daemon !== undefined) await requireOwnSession(readers);
  } catch (error) {
    await close();
    throw toRelayError(error);
  }
  const scripted = {
    ...methodsOf(queries, async (call) => {
      try {
        return await run(readers, scriptOf(queries, call));
      } catch (error) {
        throw toRelayError(error);
      }
    }),
    ...methodsOf(commands, (call) => writes.submit(call)),
  };
  return {
    kind: 'postgres',
    isShared: true,
    ...scripted,
    ...methodsInSteps(scripted),
    indexForSearch: (limit) => writes.submitInBackground(['indexForSearch', limit]) as Promise<number>,
    appendMessage: (draft) => writes.submit(draft) as Promise<Appended>,
    close,
  };
}
