const CHECK_MS = 500;

/** The process that ran the command, if another one (see `run-on-node.js`) is in between. */
let starter: number | undefined;

/** Removes that variable from the environment: child processes have another parent. */
export function rememberStarter(): void {
  const { RELAY_OUTER_PARENT: pid } = process.env;
  delete process.env.RELAY_OUTER_PARENT;
  if (pid !== undefined) starter = Number(pid);
}

/**
 * Aborts when the process that started this command has ended. A command that waits must not outlive the reader
 * of its output.
 */
export function parentGone(): AbortSignal {
  const gone = new AbortController();
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent && (starter === undefined || isAlive(starter))) return;
    clearInterval(timer);
    gone.abort();
  }, CHECK_MS);
  timer.unref();
  return gone.signal;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
