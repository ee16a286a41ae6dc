import { isAlive, type MarkedProcess, signalSession } from '@agent-relay/platform/processes';

/** What a program gets to put its things in order. */
const GRACE_MS = 5000;

/**
 * Ends a program and everything that was started in its terminal: as if the terminal were closed, and if that does not
 * help, by force. What is left when the program itself has ended is ended too.
 */
export async function endProgram(program: MarkedProcess, ended: Promise<unknown>): Promise<void> {
  if (isAlive(program)) {
    signalSession(program.pid, 'SIGHUP');
    // A program that was stopped hears nothing until it goes on.
    signalSession(program.pid, 'SIGCONT');
    signalSession(program.pid, 'SIGTERM');
  }
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, GRACE_MS);
  await Promise.race([ended, late]);
  clearTimeout(timer);
  signalSession(program.pid, 'SIGKILL');
  await ended;
}
