import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Database } from './database.ts';
import { toFailure } from './failures.ts';
import { Reader } from './reader.ts';
import type { BatchResult, ThreadAnswer, ThreadRequest, ThreadSettings } from './threads.ts';
import { Writer } from './writer.ts';

/** A thread that owns one connection, so that a slow disk or query never blocks the daemon's event loop. */
const port = parentPort as MessagePort;
const { path, role } = workerData as ThreadSettings;

let database: Writer | Reader | undefined;

port.on('message', ({ id, ask }: ThreadRequest) => {
  port.postMessage(answer(id, ask));
  if (ask === 'close') port.close();
  // A killed daemon writes nothing when it ends.
  if (ask === 'open') setImmediate(flushCompileCache);
});

function answer(id: number, ask: ThreadRequest['ask']): ThreadAnswer {
  try {
    return { id, ...obey(ask) };
  } catch (error) {
    const failure = toFailure(error);
    // A failed open has lost nothing yet.
    return { id, failure: { ...failure, fatal: failure.fatal && database !== undefined } };
  }
}

function obey(ask: ThreadRequest['ask']): BatchResult {
  if (Array.isArray(ask)) {
    if (!database) throw new Error('The database is not open.');
    return database.run(ask);
  }
  if (ask === 'close') database?.close();
  else if (role === 'writer') database = new Writer(Database.forWriting(path));
  else database = new Reader(Database.forReading(path));
  return { values: [], failures: [] };
}
