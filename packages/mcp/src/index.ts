export { createServer } from './server/create-server.ts';
export { type StdioOptions, serveStdio } from './stdio/serve.ts';
