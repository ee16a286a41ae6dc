// Beside the sources and not in the bundle: the library finds its native part by where it is itself.
import pty from '@lydell/node-pty';

export const { spawn } = pty;
