import { fileURLToPath } from 'node:url';

/** The program of a server nobody here wrote. */
export const realServer = (name: 'everything' | 'filesystem' | 'memory'): string =>
  fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));
