import { closeSync, constants, openSync, readFileSync } from 'node:fs';

/**
 * Keeps a program's terminal open until the program has ended. Some programs, such as `cat`, close their terminal right
 * before they exit. The reader of the other end would take that for the end and close it too, and the system would kill
 * the program with a hangup instead of letting it exit with its own code.
 */
export function holdOpen(terminal: string, pid: number): void {
  const descriptor = openSync(terminal, constants.O_RDWR | constants.O_NOCTTY);
  const onChildEnded = () => {
    if (isRunning(pid)) return;
    process.off('SIGCHLD', onChildEnded);
    closeSync(descriptor);
  };
  process.on('SIGCHLD', onChildEnded);
}

/** Whether it is running; a zombie is not. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const state = stat.slice(stat.lastIndexOf(')') + 2)[0];
    return state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
