import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { toFailure } from './failures.ts';
import { Reader } from './reader.ts';
import type { BatchResult, ThreadAnswer, ThreadRequest, ThreadSettings } from './threads.ts';
import { Writer } from './writer.ts';

/** A thread that owns one connection, so that a slow disk or query never holds up the event loop of the daemon. */
const port = parentPort as MessagePort;
const { path, role } = workerData as ThreadSettings;
const NOTHING: BatchResult = { values: [], failures: [] };

let database: Writer | Reader | undefined;

port.on('message', ({ id, ask }: ThreadRequest) => {
  const answer = (content: BatchResult | { failure: ReturnType<typeof toFailure> }) =>
    port.postMessage({ id, ...content } satisfies ThreadAnswer);
  try {
    if (ask === 'open') {
      database = role === 'writer' ? new Writer(path) : new Reader(path);
      answer(NOTHING);
    } else if (ask === 'close') {
      database?.close();
      answer(NOTHING);
      port.close();
    } else if (database) {
      answer(database.run(ask));
    }
  } catch (error) {
    const failure = toFailure(error);
    // A database that could not be opened has lost nothing yet.
    answer({ failure: { ...failure, fatal: failure.fatal && database !== undefined } });
  }
});
