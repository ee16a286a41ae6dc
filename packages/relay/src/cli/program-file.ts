import { fileURLToPath } from 'node:url';

/** The file of the command line, to start it again. */
export const PROGRAM = fileURLToPath(new URL('../../bin/agent-relay.js', import.meta.url));
