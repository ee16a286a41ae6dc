import type { Logger } from './log/log.ts';

/** How long the daemon may take to end in order after an error that nobody caught. */
const END_WITHIN_MS = 10_000;

/**
 * Resolves with the first error that nobody caught, a rejected promise that nobody awaited included. A process that had
 * one cannot be trusted: it says so in its log and has to end, in order if it can, and on the spot if it cannot.
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
