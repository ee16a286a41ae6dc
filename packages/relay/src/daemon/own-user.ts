/** Every door asks the same question: the daemon's, and those of the processes that the command line starts. */
export { isOwnUser } from '../transport/own-user.ts';
