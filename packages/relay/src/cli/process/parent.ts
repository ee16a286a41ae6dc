const CHECK_MS = 500;

/** The process that typed the command, where another one (see `run-on-node.js`) stands between. */
let starter: number | undefined;

/** Takes from the environment who typed the command: those that this process starts have another parent. */
export function rememberStarter(): void {
  const { RELAY_OUTER_PARENT: pid } = process.env;
  delete process.env.RELAY_OUTER_PARENT;
  if (pid !== undefined) starter = Number(pid);
}

/**
 * Aborts when the process that started this command is gone. A command that waits must not outlive whoever would read
 * what it prints.
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
