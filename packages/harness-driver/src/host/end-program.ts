import {
  descendantsOf,
  isAlive,
  type MarkedProcess,
  signalProcess,
  signalSession,
} from '@agent-relay/platform/processes';

/** Time for a program to clean up. */
const GRACE_MS = 5000;

/**
 * Ends a program and everything started in its terminal: with a hangup, as if the terminal were closed, then by force.
 * What is left after the program has ended is ended too.
 */
export async function endProgram(program: MarkedProcess, ended: Promise<unknown>): Promise<void> {
  const commandsEnded = endCommandsAfter(program, ended);
  if (isAlive(program)) {
    signalSession(program.pid, 'SIGHUP');
    // A stopped program gets no signals until it continues.
    signalSession(program.pid, 'SIGCONT');
    signalSession(program.pid, 'SIGTERM');
  }
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, GRACE_MS);
  await Promise.race([ended, late]);
  clearTimeout(timer);
  signalSession(program.pid, 'SIGKILL');
  await commandsEnded;
}

/**
 * Ends what a program runs now, once it has ended. OpenCode runs commands in sessions of their own, and leaves them behind
 * when it is told to end.
 */
export async function endCommandsAfter(program: MarkedProcess, ended: Promise<unknown>): Promise<void> {
  const started = isAlive(program) ? descendantsOf(program.pid) : [];
  await ended;
  for (const one of started) signalProcess(one, 'SIGKILL');
}
