/** One Ctrl-C can arrive twice: the terminal sends it to every process, and wrappers (npx, an older Node) pass it on. */
const SAME_SIGNAL_MS = 250;

/**
 * Resolves at the first signal to stop; a later one ends the process right away. The listeners stay until the process ends:
 * without them, a duplicate signal would kill a process that is already shutting down.
 */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((stop) => {
    let first: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      if (first === undefined) {
        first = performance.now();
        endAtOnce();
        stop(signal);
      } else if (performance.now() - first > SAME_SIGNAL_MS) {
        process.exit(130);
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}

/** Exits at once: during its normal shutdown, Node has no signal listeners for some milliseconds. */
function endAtOnce(): void {
  process.once('beforeExit', () => process.exit());
}
