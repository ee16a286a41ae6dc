import type { Logger } from './log/log.ts';

/** How long the daemon may take to shut down cleanly after an uncaught error. */
const END_WITHIN_MS = 10_000;

/**
 * Resolves with the first uncaught error, including unhandled rejections. A process that had
 * one cannot be trusted: it logs the error and has to exit, cleanly if it can.
 */
export function firstUncaught(log: Logger): Promise<Error> {
  const first = Promise.withResolvers<Error>();
  process.on('uncaughtException', (thrown: unknown) => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    log.fatal({ err: error }, 'uncaught error; the daemon is stopping');
    setTimeout(() => process.exit(1), END_WITHIN_MS).unref();
    first.resolve(error);
  });
  return first.promise;
}
