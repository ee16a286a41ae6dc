import { fileURLToPath } from 'node:url';

/** The file that runs the command line, for those who start it again. */
export const PROGRAM = fileURLToPath(new URL('../../bin/agent-relay.js', import.meta.url));
