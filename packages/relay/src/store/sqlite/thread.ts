import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { RelayError } from '@agent-relay/protocol';
import type { BatchResult, Failure, ThreadAnswer, ThreadRequest, ThreadSettings } from './threads.ts';

/** TypeScript in the sources, JavaScript in a package. */
const WORKER = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);

interface Pending {
  resolve: (result: BatchResult) => void;
  reject: (error: RelayError) => void;
}

export const toError = ({ code, message, next }: Failure): RelayError =>
  new RelayError(code, message, next === undefined ? {} : { next });

const closed = (): RelayError => new RelayError('StoreUnavailable', 'The store was closed.');

/** A thread uses the cache of compiled code only if its environment names it. Node adds its version to the path. */
function withCompileCache(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  return directory === undefined ? env : { ...env, NODE_COMPILE_CACHE: dirname(directory) };
}

/** The client of a worker thread: numbers requests and matches answers. */
export class Thread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #onFatal: (error: RelayError) => void;
  #lastId = 0;
  #dead: RelayError | undefined;
  #closing = false;

  constructor(settings: ThreadSettings, onFatal: (error: RelayError) => void) {
    this.#onFatal = onFatal;
    this.#worker = new Worker(WORKER, {
      name: `store-${settings.role}`,
      workerData: settings,
      env: withCompileCache(process.env),
      // Garbage of batches is short-lived: a small young generation is as fast, and saves memory.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle(answer));
    this.#worker.on('error', (cause) => this.#died(settings.role, cause));
    this.#worker.on('exit', () => this.#died(settings.role, undefined));
  }

  /** Rejects if nothing of the request was done. */
  ask(ask: ThreadRequest['ask']): Promise<BatchResult> {
    return new Promise((resolve, reject) => {
      if (this.#dead) return reject(this.#dead);
      // The thread is closing and would not answer this.
      if (this.#closing && ask !== 'close') return reject(closed());
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ask } satisfies ThreadRequest);
    });
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#dead) {
      await this.#worker.terminate();
      return;
    }
    await Promise.all([once(this.#worker, 'exit'), this.ask('close')]);
    this.#dead = closed();
  }

  #settle(answer: ThreadAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if ('failure' in answer) {
      const error = toError(answer.failure);
      if (answer.failure.fatal) this.#fail(error);
      pending?.reject(error);
    } else {
      pending?.resolve(answer);
    }
  }

  #died(role: string, cause: unknown): void {
    if (this.#dead || (this.#closing && this.#pending.size === 0)) return;
    this.#fail(new RelayError('StoreUnavailable', `The ${role} thread of the database crashed.`, { cause }));
  }

  /** Refuses all further requests: the database can no longer be trusted. */
  #fail(error: RelayError): void {
    this.#dead = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#onFatal(error);
  }
}
