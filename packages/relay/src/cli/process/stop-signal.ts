/** A wrapper (npx, a shell) may pass on a Ctrl-C that the terminal has sent already: that is still one. */
const SAME_SIGNAL_MS = 100;

/** Resolves at the first signal to stop; the next one ends the process on the spot. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((stop) => {
    let first: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      if (first === undefined) {
        first = performance.now();
        stop(signal);
      } else if (performance.now() - first > SAME_SIGNAL_MS) {
        process.exit(130);
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}
